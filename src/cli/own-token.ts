import { Tokens } from "../service/access/tokens.ts";
import { DatabaseProblem } from "../store/schema/database-problem.ts";
import { openStore } from "../store/sqlite/open-store.ts";
import { requireDatabaseUrl } from "./named-database.ts";

const tokenMs = 60_000;

/**
 * Creates a token in the database of this machine's service, calls with it, and revokes it.
 *
 * @throws DatabaseProblem when no database is named
 */
export async function withOwnToken<T>(organisation: string, call: (token: string) => Promise<T>): Promise<T> {
  const store = await openStore(databaseUrl());
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

function databaseUrl(): string {
  try {
    return requireDatabaseUrl();
  } catch (error) {
    if (!(error instanceof DatabaseProblem)) throw error;
    const elsewhere = "From elsewhere, run `trainyard login`, or set TRAINYARD_TOKEN.";
    throw new DatabaseProblem(error.code, `${error.message} ${elsewhere}`);
  }
}
