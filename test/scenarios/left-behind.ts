import { randomUUID } from "node:crypto";
import { DatabaseSync } from "node:sqlite";
import type { GitHubProxy } from "./github-proxy.ts";
import type { Stage } from "./stage.ts";

/** Simulates the death of the service: cuts its calls to GitHub and copies its database as it is now. Returns the URL of the copy. */
export function dieNow(stage: Pick<Stage, "databaseUrl">, proxy: GitHubProxy): string {
  const file = stage.databaseUrl.replace(/^sqlite:/, "");
  const left = `${file}-${randomUUID()}`;
  const database = new DatabaseSync(file);
  database.prepare("vacuum into ?").run(left);
  database.close();
  proxy.cut();
  return `sqlite:${left}`;
}

/** Starts the service again on the database that the dead one left. */
export async function carryOn(stage: Stage, proxy: GitHubProxy, databaseUrl: string): Promise<void> {
  await stage.stopService();
  proxy.restore();
  await stage.startService({ DATABASE_URL: databaseUrl });
}
