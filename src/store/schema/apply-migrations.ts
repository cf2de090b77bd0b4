import type { Kysely } from "kysely";
import { Migrator } from "kysely/migration";
import { readSchemaState } from "./read-schema-state.ts";
import type { SchemaKind } from "./schema-kind.ts";

/**
 * Brings the schema up to date, once, even if several processes do it at the same time. Returns the applied migrations; empty
 * when there was nothing to do.
 *
 * @param mayBeCopy whether the database may be an unfinished copy.
 * @throws DatabaseProblem when this version cannot use the database.
 * @throws Error when a migration failed; then nothing has changed.
 */
export async function applyMigrations<Schema>(
  db: Kysely<Schema>,
  kind: SchemaKind,
  mayBeCopy = false,
): Promise<readonly string[]> {
  const { pending } = await readSchemaState(db, kind, mayBeCopy);
  if (pending.length === 0) return [];
  return await db.transaction().execute(async (tx) => {
    for (const statement of kind.beginMigration) await statement.execute(tx);
    const migrator = new Migrator({
      db: tx,
      provider: { getMigrations: async () => ({ ...kind.migrations }) },
    });
    const { error, results } = await migrator.migrateToLatest();
    if (error) throw error;
    return (results ?? []).map((result) => result.migrationName);
  });
}
