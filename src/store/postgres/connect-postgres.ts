import { HandleEmptyInListsPlugin, Kysely, replaceWithNoncontingentExpression } from "kysely";
import type { Database, Schema } from "../sqlite/schema.ts";
import { connectionSettings } from "./connection-settings.ts";
import { PoolDialect } from "./postgres-dialect.ts";

/** In milliseconds. */
const statementMs = 30_000;
/**
 * How long a process may be idle within a transaction, in which it blocks the writes of all others. Not `transaction_timeout`: a slow write
 * would fail each time it is repeated.
 */
const idleMs = 5_000;
const begin = [
  "begin",
  `set local statement_timeout = ${statementMs}`,
  `set local idle_in_transaction_session_timeout = ${idleMs}`,
].join("; ");

/**
 * Kysely on a PostgreSQL database. The first query connects.
 *
 * @throws Error when the URL cannot be parsed.
 */
export function connectPostgres(databaseUrl: string): Database {
  const settings = connectionSettings(databaseUrl, process.env);
  return new Kysely<Schema>({
    dialect: new PoolDialect(settings, begin),
    // SQLite accepts `in ()`.
    plugins: [new HandleEmptyInListsPlugin({ strategy: replaceWithNoncontingentExpression })],
  });
}
