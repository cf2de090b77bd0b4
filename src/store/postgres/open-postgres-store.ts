import { HandleEmptyInListsPlugin, Kysely, replaceWithNoncontingentExpression, sql } from "kysely";
import * as initialSchema from "../../../migrations/postgres/0001-initial-schema.ts";
import { createStores, type Store } from "../create-stores.ts";
import { GroupCommit } from "../sqlite/group-commit.ts";
import { migrate } from "../sqlite/migrate.ts";
import type { Database, Schema } from "../sqlite/schema.ts";
import { connectionSettings } from "./connection-settings.ts";
import { PoolDialect } from "./postgres-dialect.ts";
import { writerLock } from "./writer-lock.ts";

const migrations = { "0001-initial-schema": initialSchema };

/** In milliseconds. A process that stops within a transaction would otherwise hold up all others. */
const statementMs = 30_000;
const begin = [
  "begin",
  `set local statement_timeout = ${statementMs}`,
  `set local idle_in_transaction_session_timeout = ${statementMs}`,
].join("; ");

/** Kysely's list of all tables takes as long as some hundred other statements. */
async function isEmpty(db: Database): Promise<boolean> {
  const { rows } = await sql<{
    found: string | null;
  }>`select to_regclass('kysely_migration')::text as found`.execute(db);
  return rows[0]?.found == null;
}

/**
 * Connects to a PostgreSQL database and brings its schema up to date.
 *
 * @throws Error when it is not reached, or a newer version has used it.
 */
export async function openPostgresStore(databaseUrl: string): Promise<Store> {
  const db = new Kysely<Schema>({
    dialect: new PoolDialect(connectionSettings(databaseUrl, process.env), begin),
    // SQLite accepts `in ()`.
    plugins: [new HandleEmptyInListsPlugin({ strategy: replaceWithNoncontingentExpression })],
  });
  try {
    await migrate(db, migrations, isEmpty);
  } catch (error) {
    await db.destroy();
    throw error;
  }
  return createStores(db, new GroupCommit(db, () => 0, writerLock));
}
