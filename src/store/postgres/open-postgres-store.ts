import { sql } from "kysely";
import * as initialSchema from "../../../migrations/postgres/0001-initial-schema.ts";
import { createStores, type Store } from "../create-stores.ts";
import { GroupCommit } from "../sqlite/group-commit.ts";
import { migrate } from "../sqlite/migrate.ts";
import type { Database } from "../sqlite/schema.ts";
import { connectPostgres } from "./connect-postgres.ts";
import { notReached } from "./postgres-error.ts";
import { writerLock } from "./writer-lock.ts";

const migrations = { "0001-initial-schema": initialSchema };

/**
 * Opens a PostgreSQL database and brings its schema up to date.
 *
 * @throws Error when it is not reached, or a newer version has used it.
 */
export async function openPostgresStore(databaseUrl: string): Promise<Store> {
  const db = connectPostgres(databaseUrl);
  try {
    const isNew = await isEmpty(db).catch((error: unknown) => {
      throw notReached(error);
    });
    await migrate(db, migrations, async () => isNew);
  } catch (error) {
    await db.destroy();
    throw error;
  }
  return createStores(db, new GroupCommit(db, () => 0, writerLock), true);
}

/** Kysely's list of all tables takes as long as some hundred other statements. */
async function isEmpty(db: Database): Promise<boolean> {
  const found = await sql<{ id: string | null }>`select to_regclass('kysely_migration')::text as id`.execute(
    db,
  );
  return found.rows[0]?.id == null;
}
