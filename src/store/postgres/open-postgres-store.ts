import { createStores, type Store } from "../create-stores.ts";
import { applyMigrations } from "../schema/apply-migrations.ts";
import { GroupCommit } from "../sqlite/group-commit.ts";
import { connectPostgres } from "./connect-postgres.ts";
import { reachPostgres } from "./postgres-error.ts";
import { postgresSchema } from "./postgres-schema.ts";
import { ServerClock } from "./server-clock.ts";
import { writerLock } from "./writer-lock.ts";

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
