import { randomUUID } from "node:crypto";
import { DatabaseSync } from "node:sqlite";
import type { GitHubProxy } from "./github-proxy.ts";
import type { Stage } from "./stage.ts";

/** What a process that dies now leaves behind: its database as it is, and calls to GitHub that break off. Answers where that is. */
export function dieNow(stage: Stage, proxy: GitHubProxy): string {
  const file = stage.databaseUrl.replace(/^sqlite:/, "");
  const left = `${file}-${randomUUID()}`;
  const database = new DatabaseSync(file);
  database.prepare("vacuum into ?").run(left);
  database.close();
  proxy.cut();
  return `sqlite:${left}`;
}

/** Starts the service again on what one that died has left behind. */
export async function carryOn(stage: Stage, proxy: GitHubProxy, databaseUrl: string): Promise<void> {
  await stage.stopService();
  proxy.restore();
  await stage.startService({ DATABASE_URL: databaseUrl });
}
