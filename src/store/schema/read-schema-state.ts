import { type Kysely, sql } from "kysely";
import { unfinishedCopy } from "./copy-mark.ts";
import { DatabaseProblem, newerSchema } from "./database-problem.ts";
import { expectedTables } from "./expected-tables.ts";
import type { SchemaKind } from "./schema-kind.ts";

export interface SchemaState {
  /** The names of the applied migrations, in order. */
  readonly applied: readonly string[];
  /** Migrations of this version that are not applied, in order. */
  readonly pending: readonly string[];
  /** Whether the database has no table at all. */
  readonly isEmpty: boolean;
}

const namedAtMost = 3;

/**
 * Reads which migrations are applied to a database. Writes nothing.
 *
 * @param mayBeCopy whether an unfinished copy is acceptable.
 * @throws DatabaseProblem when this version cannot use the database, also after its pending migrations.
 */
export async function readSchemaState<Schema>(
  db: Kysely<Schema>,
  kind: SchemaKind,
  mayBeCopy = false,
): Promise<SchemaState> {
  const { rows } = await kind.listColumns.execute(db);
  const columns = new Set(rows.map(({ table, column }) => `${table}.${column}`));
  const tables = new Set(rows.map(({ table }) => table));
  const known = Object.keys(kind.migrations);
  const applied = tables.has("kysely_migration") ? await appliedMigrations(db) : [];
  const unknown = applied.filter((name) => !known.includes(name));
  if (unknown.length > 0) throw newerSchema(unknown);
  if (tables.has(unfinishedCopy) && !mayBeCopy)
    throw new DatabaseProblem(
      "COPY_UNFINISHED",
      "the database is an unfinished copy of another one; run the same trainyard copy again, which continues it",
    );
  const missing: string[] = [];
  for (const table of await expectedTables(applied)) {
    if (!tables.has(table.name)) missing.push(table.name);
    else
      missing.push(
        ...table.columns.map((column) => `${table.name}.${column}`).filter((name) => !columns.has(name)),
      );
  }
  if (missing.length > 0)
    throw new DatabaseProblem(
      "SCHEMA_INCOMPLETE",
      `the database lacks ${nameSome(missing)}, because an unreleased version of Trainyard created it, or somebody dropped them; ` +
        "use another database, or restore a backup of this version",
    );
  const pending = known.filter((name) => !applied.includes(name));
  return { applied, pending, isEmpty: tables.size === 0 };
}

async function appliedMigrations<Schema>(db: Kysely<Schema>): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db);
  return rows.map((row) => row.name);
}

function nameSome(names: readonly string[]): string {
  const more = names.length - namedAtMost;
  return names.slice(0, namedAtMost).join(", ") + (more > 0 ? ` and ${more} more` : "");
}
