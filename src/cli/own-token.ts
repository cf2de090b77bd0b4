import { Tokens } from "../service/access/tokens.ts";
import { readDatabaseUrl } from "../settings/database-url.ts";
import { openStore } from "../store/sqlite/open-store.ts";
import { unsetDatabaseProblem } from "./named-database.ts";
import { CallImpossible } from "./remote/credentials.ts";

const tokenMs = 60_000;

/**
 * Creates a token in the database of this machine's service, calls with it, and revokes it.
 *
 * @throws CallImpossible when no database is named
 */
export async function withOwnToken<T>(organisation: string, call: (token: string) => Promise<T>): Promise<T> {
  const unset = unsetDatabaseProblem(process.env);
  if (unset !== null)
    throw new CallImpossible(`${unset} From elsewhere, run \`trainyard login\`, or set TRAINYARD_TOKEN.`);
  const store = await openStore(readDatabaseUrl(process.env));
  try {
    const tokens = new Tokens(store.tokens, { now: () => Date.now() });
    const expiresAt = Date.now() + tokenMs;
    const name = "trainyard queue";
    const { token, record } = await tokens.create({ organisation, name, scopes: ["admin"], expiresAt });
    try {
      return await call(token);
    } finally {
      await tokens.revoke(record.id);
    }
  } finally {
    await store.close();
  }
}
