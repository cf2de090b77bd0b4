import { Tokens } from "../service/access/tokens.ts";
import { readDatabaseUrl } from "../settings/database-url.ts";
import { openStore } from "../store/sqlite/open-store.ts";
import { unsetDatabaseProblem } from "./named-database.ts";

const tokenMs = 60_000;

/**
 * Creates a token in the database of this machine's service, makes calls with it, and revokes it. Without a database, it prints what is
 * missing.
 */
export async function withOwnToken(
  organisation: string,
  call: (token: string) => Promise<void>,
): Promise<void> {
  const unset = unsetDatabaseProblem(process.env);
  if (unset !== null) {
    console.error(`${unset} From elsewhere, set TRAINYARD_URL and TRAINYARD_TOKEN.`);
    process.exitCode = 1;
    return;
  }
  const store = await openStore(readDatabaseUrl(process.env));
  try {
    const tokens = new Tokens(store.tokens, { now: () => Date.now() });
    const expiresAt = Date.now() + tokenMs;
    const name = "trainyard queue";
    const { token, record } = await tokens.create({ organisation, name, scopes: ["admin"], expiresAt });
    try {
      await call(token);
    } finally {
      await tokens.revoke(record.id);
    }
  } finally {
    await store.close();
  }
}
