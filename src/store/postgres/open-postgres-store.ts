import { sql } from "kysely";
import { createStores, type Store } from "../create-stores.ts";
import { applyMigrations } from "../schema/apply-migrations.ts";
import { GroupCommit, type GroupHooks } from "../sqlite/group-commit.ts";
import type { Tx } from "../sqlite/schema.ts";
import { advisoryLocks } from "./advisory-locks.ts";
import { connectPostgres } from "./connect-postgres.ts";
import { reachPostgres } from "./postgres-error.ts";
import { postgresSchema } from "./postgres-schema.ts";
import { ServerClock } from "./server-clock.ts";

/**
 * Opens a PostgreSQL database and brings its schema up to date.
 *
 * @throws SchemaProblem when this version cannot use it.
 * @throws Error when it is not reached.
 */
export async function openPostgresStore(databaseUrl: string): Promise<Store> {
  const db = connectPostgres(databaseUrl);
  try {
    await reachPostgres(db);
    await applyMigrations(db, postgresSchema);
    return createStores(db, new GroupCommit(db, () => 0, writerLock), await ServerClock.start(db));
  } catch (error) {
    await db.destroy();
    throw error;
  }
}

const [ours, lock] = advisoryLocks.writer;

/**
 * Lets one replica write at a time, as SQLite does. The stores depend on that: what a write has read does not
 * change until it is committed, and numbers of rows have the order of commits. The lock belongs to the
 * transaction, so it works through a pooler, and ends with its connection.
 */
const writerLock: GroupHooks = {
  avoidsSavepoints: true,
  async begin(tx: Tx): Promise<void> {
    await sql`select pg_advisory_xact_lock(${sql.lit(ours)}, ${sql.lit(lock)})`.execute(tx);
  },
  async afterCommit(): Promise<void> {},
};
