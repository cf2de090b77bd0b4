import { sql } from "kysely";
import { DatabaseProblem } from "../schema/database-problem.ts";
import { expectedTables } from "../schema/expected-tables.ts";
import { readSchemaState } from "../schema/read-schema-state.ts";
import { connectSqlite } from "../sqlite/connect-sqlite.ts";
import { sqliteSchema } from "../sqlite/sqlite-schema.ts";

/** The number of rows of each table. */
export type RowCounts = ReadonlyMap<string, number>;

/**
 * Verifies a database file: its pages and indexes, its references, and its schema. Returns the number of rows of each
 * table.
 *
 * @throws DatabaseProblem when something is wrong.
 */
export async function examineFile(path: string): Promise<RowCounts> {
  const db = connectSqlite<unknown>(path, true);
  try {
    const integrity = await sql<{ integrity_check: string }>`pragma integrity_check(1)`.execute(db);
    const found = integrity.rows[0]?.integrity_check;
    if (found !== "ok") throw new DatabaseProblem("DATABASE_DAMAGED", `${path} is damaged: ${found}`);
    const lost = await sql<{ table: string }>`pragma foreign_key_check`.execute(db);
    if (lost.rows[0])
      throw new DatabaseProblem(
        "DATABASE_DAMAGED",
        `${path} is damaged: a row of ${lost.rows[0].table} refers to none`,
      );
    const { applied, isEmpty } = await readSchemaState(db, sqliteSchema);
    if (isEmpty || applied.length === 0)
      throw new DatabaseProblem("DATABASE_MISSING", `${path} is not a database of Trainyard`);
    const counts = new Map<string, number>();
    for (const { name } of await expectedTables(applied)) {
      const { rows } = await sql<{ rows: number }>`select count(*) as rows from ${sql.table(name)}`.execute(
        db,
      );
      counts.set(name, rows[0]?.rows ?? 0);
    }
    return counts;
  } finally {
    await db.destroy();
  }
}
