import { existsSync } from "node:fs";
import { flushCompileCache } from "node:module";
import { loadEnvFile } from "node:process";
import type { SettingsIssue } from "../settings/issue.ts";
import { parseSettings } from "../settings/settings.ts";
import { createLog } from "./log.ts";
import { startSetup } from "./setup-server.ts";
import { untilSignalled } from "./signals.ts";
import { startServer } from "./start-server.ts";

/** `trainyard serve`: serves; without credentials, helps to get some. */
export async function serve(): Promise<number> {
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
  const server = app ? await startServer(settings, app, log) : await startSetup(settings, log);
  if (app) log.info({ url: server.url, github: settings.github.host }, "Trainyard is ready");
  // Else only who ends in peace leaves it behind.
  flushCompileCache();
  const signal = await untilSignalled();
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
