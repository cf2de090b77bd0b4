import { sql } from "kysely";
import { createStores, type Store } from "../create-stores.ts";
import { applyMigrations } from "../schema/apply-migrations.ts";
import { newerSchema } from "../schema/database-problem.ts";
import { GroupCommit, type GroupHooks } from "../sqlite/group-commit.ts";
import type { Tx } from "../sqlite/schema.ts";
import { StorageError } from "../sqlite/storage-error.ts";
import { advisoryLocks } from "./advisory-locks.ts";
import { connectPostgres } from "./connect-postgres.ts";
import { reachPostgres } from "./postgres-error.ts";
import { postgresSchema } from "./postgres-schema.ts";
import { ServerClock } from "./server-clock.ts";

/**
 * Opens a PostgreSQL database and brings its schema up to date.
 *
 * @throws DatabaseProblem when this version cannot use it.
 * @throws Error when it is not reached.
 */
export async function openPostgresStore(databaseUrl: string): Promise<Store> {
  const db = connectPostgres(databaseUrl);
  try {
    await reachPostgres(db);
    await applyMigrations(db, postgresSchema);
    const replaced = new AbortController();
    const writes = new GroupCommit(db, () => 0, writerLock(replaced));
    return createStores(db, writes, { clock: await ServerClock.start(db), replaced: replaced.signal });
  } catch (error) {
    await db.destroy();
    throw error;
  }
}

const known = Object.keys(postgresSchema.migrations).map((name) => sql.lit(name));

/** Waits for the lock. Returns a migration that this version does not know; null = there is none. */
const lockAndLook = sql<{ newer: string | null }>`
  select pg_advisory_xact_lock(${sql.join(advisoryLocks.writer.map((key) => sql.lit(key)))}),
    (select min(name) from kysely_migration where name not in (${sql.join(known)})) as newer`;

/**
 * Lets one replica write at a time, as SQLite does. The stores depend on that: the rows that a write reads do not change before its commit,
 * and row numbers follow the order of commits. The lock belongs to the transaction, so it works through a pooler, and ends with its
 * connection.
 *
 * Refuses to write once a newer version has migrated the database, because rows that it does not know may be among those that it reads.
 */
function writerLock(replaced: AbortController): GroupHooks {
  return {
    avoidsSavepoints: true,
    async begin(tx: Tx): Promise<void> {
      const { rows } = await lockAndLook.execute(tx);
      const newer = rows[0]?.newer ?? null;
      if (newer === null) return;
      const problem = newerSchema([newer]);
      replaced.abort(problem);
      throw new StorageError("SCHEMA_NEWER", problem);
    },
    async afterCommit(): Promise<void> {},
  };
}
