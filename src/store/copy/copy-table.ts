import { type Kysely, sql } from "kysely";
import type { ExpectedTable } from "../schema/expected-tables.ts";
import { readProgress, writeProgress } from "./copy-progress.ts";
import { keyOf, readPages, type StoredRow } from "./row-pages.ts";

/**
 * Copies the rows of a table that were not copied yet. Each transaction contains a page of rows and the progress, so a
 * killed copy continues after its last page.
 *
 * @param tell is called with the number of copied rows.
 */
export async function copyTable(
  source: Kysely<unknown>,
  target: Kysely<unknown>,
  table: ExpectedTable,
  tell: (copied: number) => void,
): Promise<void> {
  let { copied, last } = await readProgress(target, table.name);
  tell(copied);
  for await (const page of readPages(source, table, last)) {
    const end = page.at(-1);
    if (!end) return;
    copied += page.length;
    last = keyOf(table, end);
    const progress = { copied, last };
    await target.transaction().execute(async (tx) => {
      await insertRows(tx, table, page);
      await writeProgress(tx, table.name, progress.copied, progress.last);
    });
    tell(copied);
  }
}

async function insertRows(
  tx: Kysely<unknown>,
  table: ExpectedTable,
  rows: readonly StoredRow[],
): Promise<void> {
  const columns = sql.join(table.columns.map((column) => sql.ref(column)));
  const values = rows.map((row) => sql`(${sql.join(table.columns.map((column) => row[column] ?? null))})`);
  await sql`insert into ${sql.table(table.name)} (${columns}) values ${sql.join(values)}`.execute(tx);
}
