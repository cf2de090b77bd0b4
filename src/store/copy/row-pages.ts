import { type Kysely, sql } from "kysely";
import type { ExpectedTable } from "../schema/expected-tables.ts";

export type StoredValue = string | number | null | Uint8Array;
export type StoredRow = Readonly<Record<string, StoredValue>>;
/** The values of a row's key, in order. */
export type RowKey = readonly StoredValue[];

const mostRows = 500;
/** Rows may contain results of many tests. */
const mostBytes = 8_000_000;

/** Reads the rows of a table in the order of their keys, in pages. Both kinds of databases have the same order. */
export async function* readPages(
  db: Kysely<unknown>,
  table: ExpectedTable,
  after: RowKey | null = null,
): AsyncGenerator<readonly StoredRow[]> {
  const columns = sql.join(table.columns.map((column) => sql.ref(column)));
  const key = sql.join(table.key.map((column) => sql.ref(column)));
  let limit = mostRows;
  for (let last = after; ; ) {
    const rest = last === null ? sql`` : sql`where (${key}) > (${sql.join(last)})`;
    const { rows } = await sql<StoredRow>`
      select ${columns} from ${sql.table(table.name)} ${rest} order by ${key} limit ${sql.lit(limit)}`.execute(
      db,
    );
    const end = rows.at(-1);
    if (!end) return;
    yield rows;
    last = keyOf(table, end);
    const bytes = rows.reduce((sum, row) => sum + sizeOf(row), 0) / rows.length;
    limit = Math.max(1, Math.min(mostRows, Math.floor(mostBytes / bytes)));
  }
}

export function keyOf(table: ExpectedTable, row: StoredRow): RowKey {
  return table.key.map((column) => row[column] ?? null);
}

function sizeOf(row: StoredRow): number {
  return Object.values(row).reduce<number>(
    (sum, value) => sum + (typeof value === "string" || value instanceof Uint8Array ? value.length : 8),
    0,
  );
}
