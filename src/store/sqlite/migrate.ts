import { sql } from "kysely";
import { type Migration, Migrator } from "kysely/migration";
import * as initialSchema from "../../../migrations/sqlite/0001-initial-schema.ts";
import type { Database } from "./schema.ts";

/** Every migration by its file name. Migrations are only added: a released migration must not change. */
export const migrations: Readonly<Record<string, Migration>> = { "0001-initial-schema": initialSchema };

/**
 * Brings the schema up to date, once, even if several processes start at the same time. Returns the applied
 * migrations; empty when there was nothing to do.
 *
 * @throws Error when another version has used the database, or a migration failed; then nothing has changed.
 */
export async function migrate(
  db: Database,
  known: Readonly<Record<string, Migration>> = migrations,
  isEmpty: (db: Database) => Promise<boolean> = hasNoMigrations,
): Promise<readonly string[]> {
  const applied = (await isEmpty(db)) ? [] : await appliedMigrations(db);
  const unknown = applied.filter((name) => !(name in known));
  if (unknown.length > 0) {
    throw new Error(
      `the database was used by a newer or an unreleased version of Trainyard: it has ${unknown.join(", ")}, which this version ` +
        "does not know; run that version, or restore a backup from before the upgrade",
    );
  }
  if (applied.length === Object.keys(known).length) return [];
  const migrator = new Migrator({ db, provider: { getMigrations: async () => ({ ...known }) } });
  const { error, results } = await migrator.migrateToLatest();
  if (error) throw error;
  return (results ?? []).map((result) => result.migrationName);
}

async function hasNoMigrations(db: Database): Promise<boolean> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
  return !tables.some((table) => table.name === "kysely_migration");
}

async function appliedMigrations(db: Database): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db);
  return rows.map((row) => row.name);
}
