import { Tokens } from "../../../src/service/access/tokens.ts";
import { openStore } from "../../../src/store/sqlite/open-store.ts";
import type { Sandbox } from "../../sandbox/sandbox.ts";

/** The configuration of the demo's service. */
export function serviceEnvironment(
  sandbox: Sandbox,
  port: number,
  databaseUrl: string,
): Record<string, string> {
  return {
    ...sandbox.env,
    HOST: "127.0.0.1",
    PORT: String(port),
    DATABASE_URL: databaseUrl,
    LOG_FORMAT: "json",
    TRAINYARD_PUBLIC_URL: `http://127.0.0.1:${port}`,
    TRAINYARD_DASHBOARD: "public",
    // All people in the demo poll several times a second.
    TRAINYARD_RATE_LIMIT: "0",
    // The demo runs in seconds, so the service polls more often than it would at GitHub.
    TRAINYARD_RECONCILE_MS: "2500",
    TRAINYARD_PUBLISH_MS: "400",
    TRAINYARD_MERGEABILITY_MS: "60",
    TRAINYARD_LEASE_MS: "1500",
  };
}

/** Creates an API token of the organisation, for the service on this database. */
export async function issueToken(
  databaseUrl: string,
  organisation: string,
  scope: "admin" | "tests:upload",
): Promise<string> {
  const store = await openStore(databaseUrl);
  const tokens = new Tokens(store.tokens, { now: () => Date.now() });
  const { token } = await tokens.create({
    organisation,
    name: `demo, ${scope}`,
    scopes: [scope],
    expiresAt: null,
  });
  await store.close();
  return token;
}
