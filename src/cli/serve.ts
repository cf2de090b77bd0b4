import { existsSync } from "node:fs";
import { flushCompileCache } from "node:module";
import { loadEnvFile } from "node:process";
import type { SettingsIssue } from "../settings/issue.ts";
import { parseSettings } from "../settings/settings.ts";
import { ownDatabase } from "../store/sqlite/own-database.ts";
import { readAppManifest } from "./app-manifest.ts";
import { createLog, type Log } from "./log.ts";
import { releaseStartMemory } from "./release-start-memory.ts";
import { startSetup } from "./setup-server.ts";
import { untilStopped } from "./signals.ts";
import { type RunningServer, startServer } from "./start-server.ts";

/**
 * `trainyard serve`: serves until it is told to stop. Without credentials, it helps to get some. A stop during the start
 * takes effect after the start, so that everything is closed in one way. Only the wait for a database is aborted.
 */
export async function serve(stop: AbortSignal): Promise<number> {
  if (existsSync(".env")) loadEnvFile(".env");
  const parsed = parseSettings(process.env);
  if ("issues" in parsed) return refuse(parsed.issues);
  const { settings } = parsed;
  const log = createLog(settings);
  const { app } = settings;
  if (!app && process.env.NODE_ENV === "production") {
    return refuse([
      { variable: "APP_ID", problem: "is missing" },
      { variable: "PRIVATE_KEY", problem: "is missing (or PRIVATE_KEY_PATH)" },
      { variable: "WEBHOOK_SECRET", problem: "is missing" },
    ]);
  }
  const read = readAppManifest();
  if ("problem" in read) {
    log.error({ code: read.code }, read.problem);
    return 1;
  }
  if (!app) return serveUntilStopped(await startSetup(settings, read.manifest, log), log, stop);
  const { databaseUrl, databaseWaitMs: waitMs } = settings;
  const ownership = await ownDatabase(databaseUrl, { waitMs, log, stop });
  if (ownership.kind === "stopped") return 0;
  if (ownership.kind === "in_use") {
    log.error({ code: "DATABASE_IN_USE" }, ownership.problem);
    return 1;
  }
  const server = await startServer(settings, app, log, undefined, releaseStartMemory);
  log.info({ url: server.url, github: settings.github.host }, "Trainyard is listening");
  const code = await serveUntilStopped(server, log, stop);
  ownership.release();
  return code;
}

async function serveUntilStopped(server: RunningServer, log: Log, stop: AbortSignal): Promise<number> {
  // Otherwise the cache is written only at a normal exit.
  flushCompileCache();
  const signal = await untilStopped(stop);
  log.info({ signal }, "finishing what is under way");
  await server.close();
  return 0;
}

function refuse(issues: readonly SettingsIssue[]): number {
  console.error("Trainyard cannot start with this environment:\n");
  for (const { variable, problem } of issues) console.error(`  ${variable} ${problem}`);
  console.error("\nSet these in the environment or in a file .env, then start again.");
  return 1;
}
