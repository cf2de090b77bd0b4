import { createLog } from "../../src/cli/log.ts";
import { startServer } from "../../src/cli/start-server.ts";
import type { Clock } from "../../src/ports/code-host/runtime.ts";
import { Tokens } from "../../src/service/access/tokens.ts";
import { parseSettings } from "../../src/settings/settings.ts";
import type { TokenScope } from "../../src/store/access/token-store.ts";
import { openStore } from "../../src/store/sqlite/open-store.ts";
import type { Sandbox } from "../../tools/sandbox/sandbox.ts";

export interface RunningService {
  readonly url: string;
  close(): Promise<void>;
}

export interface NewToken {
  readonly organisation: string;
  readonly name?: string;
  readonly scopes: readonly TokenScope[];
}

/** The environment of a service that uses the sandbox. It looks for news more often than a real one. */
export function environmentOn(sandbox: Sandbox, databaseUrl: string): Record<string, string> {
  return {
    ...sandbox.env,
    HOST: "127.0.0.1",
    PORT: "0",
    DATABASE_URL: databaseUrl,
    LOG_LEVEL: "silent",
    TRAINYARD_DASHBOARD: "public",
    TRAINYARD_RECONCILE_MS: "60000",
    TRAINYARD_RATE_LIMIT: "0",
    TRAINYARD_PUBLISH_MS: "60",
    TRAINYARD_MERGEABILITY_MS: "30",
    TRAINYARD_LEASE_MS: "2000",
  };
}

/** Starts the service in this process. */
export async function startHere(
  environment: Readonly<Record<string, string>>,
  clock: Clock | undefined,
): Promise<RunningService> {
  const parsed = parseSettings(environment);
  if ("issues" in parsed) throw new Error(JSON.stringify(parsed.issues));
  const { settings } = parsed;
  if (!settings.app) throw new Error("the sandbox gave no credentials");
  return startServer(settings, settings.app, createLog(settings), clock);
}

/** Creates an API token in the database. */
export async function issueToken(
  databaseUrl: string,
  { organisation, name = "tests", scopes }: NewToken,
): Promise<string> {
  const store = await openStore(databaseUrl);
  const tokens = new Tokens(store.tokens, { now: () => Date.now() });
  const { token } = await tokens.create({ organisation, name, scopes, expiresAt: null });
  await store.close();
  return token;
}
