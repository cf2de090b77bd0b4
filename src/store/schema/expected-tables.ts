import { sql } from "kysely";
import { connectSqlite } from "../sqlite/connect-sqlite.ts";
import { sqliteSchema } from "../sqlite/sqlite-schema.ts";

/** A table as the migrations create it, in both kinds of databases. */
export interface ExpectedTable {
  readonly name: string;
  readonly columns: readonly string[];
  /** The columns of its primary key, in order. */
  readonly key: readonly string[];
  /** Whether the key is a number that the database assigns, and never assigns again. */
  readonly countsIds: boolean;
}

interface Row {
  readonly table: string;
  readonly statement: string;
  readonly column: string;
  readonly place: number;
}

const known = new Map<string, Promise<readonly ExpectedTable[]>>();

/**
 * The tables after these migrations, in the order of their creation: a table comes after those that it refers to. The migrations create
 * them in memory, because a separate list could differ from the migrations.
 *
 * @param applied names of migrations; default: all.
 */
export function expectedTables(
  applied: readonly string[] = Object.keys(sqliteSchema.migrations),
): Promise<readonly ExpectedTable[]> {
  const key = applied.join(" ");
  const found = known.get(key) ?? createTables(applied);
  known.set(key, found);
  return found;
}

async function createTables(applied: readonly string[]): Promise<readonly ExpectedTable[]> {
  const db = connectSqlite<unknown>(":memory:");
  try {
    for (const [name, migration] of Object.entries(sqliteSchema.migrations))
      if (applied.includes(name)) await migration.up(db);
    const { rows } = await sql<Row>`
      select m.name as "table", m.sql as statement, c.name as "column", c.pk as place
      from sqlite_master m join pragma_table_info(m.name) c
      where m.type = 'table' and m.name not like 'sqlite%' order by m.rowid, c.cid`.execute(db);
    return [...Map.groupBy(rows, (row) => row.table)].map(([name, columns]) => ({
      name,
      columns: columns.map(({ column }) => column),
      key: columns
        .filter(({ place }) => place > 0)
        .sort((a, b) => a.place - b.place)
        .map(({ column }) => column),
      countsIds: /\bautoincrement\b/i.test(columns[0]?.statement ?? ""),
    }));
  } finally {
    await db.destroy();
  }
}
