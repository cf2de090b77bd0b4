import { flushCompileCache } from "node:module";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { parseSettings, type Settings } from "../../settings/settings.ts";
import type { SettingsIssue } from "../../settings/variables.ts";
import { ownDatabase } from "../../store/sqlite/own-database.ts";
import { readAppManifest } from "../app-manifest.ts";
import { isDatabaseProblem } from "../data/on-database.ts";
import { loadEnvFile } from "../load-env-file.ts";
import { createLog, type Log } from "../log.ts";
import { useProxies } from "../proxies.ts";
import { type AddressProblem, checkWebhookAddress, type WebhookAddress } from "../setup/public-address.ts";
import { startSetup } from "../setup/setup-server.ts";
import { untilStopped } from "../signals.ts";
import { type RunningServer, startServer } from "../start-server.ts";

/**
 * `trainyard serve`: serves until it is told to stop, with the settings of the environment and of `.env`. Without credentials, it serves
 * the set-up. A stop during the start takes effect after the start, so that there is one way to close everything. Only the wait for a
 * database is aborted.
 */
export async function serve(stop: AbortSignal): Promise<number> {
  loadEnvFile();
  const parsed = parseSettings(process.env);
  if ("issues" in parsed) return refuse(parsed.issues);
  const { settings } = parsed;
  const log = createLog(settings);
  if (!useProxies(log)) return 1;
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
  if (!app) {
    const webhook = findWebhookAddress(settings, process.env.WEBHOOK_PROXY_URL);
    if ("problem" in webhook) return refuseSetup(webhook);
    const starting = startSetup(settings, read.manifest, webhook.url, log);
    const setup = await starting.catch(exitIfNotStarted(settings, log));
    await setup.untilDone(stop);
    await setup.close();
    if (stop.aborted) return 0;
    log.info("The credentials of the App are saved. The service starts with them.");
    return serve(stop);
  }
  const { databaseUrl, databaseWaitMs: waitMs } = settings;
  const owning = ownDatabase(databaseUrl, { waitMs, log, stop });
  const ownership = await owning.catch(exitIfNotStarted(settings, log));
  if (ownership.kind === "stopped") return 0;
  if (ownership.kind === "in_use") {
    log.error({ code: "DATABASE_IN_USE" }, ownership.problem);
    return 1;
  }
  const starting = startServer(settings, app, log, undefined, releaseStartMemory);
  const server = await starting.catch(exitIfNotStarted(settings, log));
  log.info({ url: server.url, github: settings.github.host }, "Trainyard is listening");
  const code = await serveUntilStopped(server, log, stop);
  ownership.release();
  return code;
}

/** No request is in flight yet, so the process can exit at once. */
function exitIfNotStarted(settings: Settings, log: Log): (error: unknown) => never {
  return (error) => {
    if (isDatabaseProblem(error)) {
      log.error({ code: error.code }, error.message);
      process.exit(1);
    }
    const problem = explainListenError(error, settings);
    if (problem === null) throw error;
    log.error({ code: "CANNOT_LISTEN" }, problem);
    process.exit(1);
  };
}

async function serveUntilStopped(server: RunningServer, log: Log, stop: AbortSignal): Promise<number> {
  // Without this call, the cache is written only at a normal exit.
  flushCompileCache();
  const { replaced } = server;
  const reason = await untilStopped(AbortSignal.any([stop, replaced]));
  if (replaced.aborted) log.error({ code: "SCHEMA_NEWER" }, `stopping, because ${replaced.reason.message}`);
  else log.info({ signal: reason }, "finishing what is under way");
  await server.close();
  return replaced.aborted ? 1 : 0;
}

function refuseSetup({ code, problem }: AddressProblem): number {
  console.error(`Trainyard cannot create its GitHub App yet. ${problem} (${code})`);
  console.error(
    "If you have an App, set APP_ID, PRIVATE_KEY (or PRIVATE_KEY_PATH) and WEBHOOK_SECRET instead.",
  );
  return 1;
}

function refuse(issues: readonly SettingsIssue[]): number {
  console.error("Trainyard cannot start with this environment:\n");
  for (const { variable, problem } of issues) console.error(`  ${variable} ${problem}`);
  console.error("\nSet these in the environment or in a file .env, then start again.");
  return 1;
}

/**
 * Frees memory that loading the modules has left behind, mainly V8's young generation, which otherwise stays at its largest
 * size. Blocks the event loop for more than 100 ms, so it has to run before the server listens.
 */
export function releaseStartMemory(): void {
  setFlagsFromString("--expose-gc");
  const gc: (options: object) => void = runInNewContext("gc");
  gc({ type: "major", execution: "sync", flavor: "last-resort" });
}

/** Returns one line with advice about an address on which nothing can listen; null = the error is another one. */
export function explainListenError(
  error: unknown,
  { host, port }: { host: string; port: number },
): string | null {
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (syscall !== "listen" && syscall !== "getaddrinfo") return null;
  switch (code) {
    case "EADDRINUSE":
      return `Port ${port} of ${host} is in use (EADDRINUSE). Set PORT to another one, or stop what uses it.`;
    case "EACCES":
      return `Port ${port} needs more rights (EACCES). Set PORT to one above 1023.`;
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
      return `${host} is not an address of this machine (${code}). Set HOST to one, such as 127.0.0.1 or 0.0.0.0.`;
    default:
      return `Nothing can listen on ${host}:${port} (${code}). Set HOST and PORT.`;
  }
}

/**
 * Returns the address to which GitHub sends webhooks, or why there is none.
 *
 * @param relay `WEBHOOK_PROXY_URL`, an address that forwards webhooks to this service. It takes precedence over the service's own address
 */
export function findWebhookAddress(
  { publicUrl, webhookPath, github }: Settings,
  relay: string | undefined,
): WebhookAddress | AddressProblem {
  const own = publicUrl === null ? null : { variable: "TRAINYARD_PUBLIC_URL", url: publicUrl + webhookPath };
  return checkWebhookAddress(relay ? { variable: "WEBHOOK_PROXY_URL", url: relay } : own, github.host);
}
