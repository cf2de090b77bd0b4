import { type Kysely, sql } from "kysely";
import { applyMigrations } from "../schema/apply-migrations.ts";
import { unfinishedCopy } from "../schema/copy-mark.ts";
import { DatabaseProblem } from "../schema/database-problem.ts";
import { type ExpectedTable, expectedTables } from "../schema/expected-tables.ts";
import type { OpenedSchema } from "../schema/open-schema.ts";
import { readSchemaState } from "../schema/read-schema-state.ts";
import { markCopy, readCopySource, readProgress, unmarkCopy, writeProgress } from "./copy-progress.ts";
import { digestTable, type TableDigest } from "./digest-table.ts";
import { keyOf, readPages, type StoredRow } from "./row-pages.ts";

export interface CopyListener {
  began(how: "new" | "continued"): void;
  /** Called with the number of copied rows of a table, and the number of its rows. */
  copied(table: string, rows: number, total: number): void;
  /** Called when a table is equal in both databases. */
  verified(table: string, digest: TableDigest): void;
}

/**
 * Copies all rows of a database to an empty one, or continues such a copy. Afterwards it compares the number of rows
 * and a hash of each table. Until both are equal, the target is marked, and no service uses it. Nobody else may write
 * to either database meanwhile. Returns a digest of each table.
 *
 * @param from names the source, so that only the same source continues a copy.
 * @throws DatabaseProblem when the target has other data, or a table differs.
 */
export async function copyDatabase(
  source: OpenedSchema,
  target: OpenedSchema,
  from: string,
  listener: CopyListener,
): Promise<ReadonlyMap<string, TableDigest>> {
  const { pending, isEmpty } = await readSchemaState(source.db, source.kind);
  if (isEmpty)
    throw new DatabaseProblem("DATABASE_MISSING", `${from} has no tables; there is nothing to copy`);
  if (pending.length > 0)
    throw new DatabaseProblem(
      "SCHEMA_OLDER",
      `${from} lacks ${pending.join(", ")}; run trainyard migrate on it first`,
    );
  const tables = await expectedTables();
  listener.began(await prepareTarget(target, tables, from));
  for (const table of tables) {
    const counted = await sql<{
      rows: number;
    }>`select count(*) as rows from ${sql.table(table.name)}`.execute(source.db);
    const total = counted.rows[0]?.rows ?? 0;
    await copyTable(source.db, target.db, table, (rows) => listener.copied(table.name, rows, total));
    if (table.countsIds) await writeLastId(target, table, await readLastId(source, table));
  }
  const digests = new Map<string, TableDigest>();
  for (const table of tables) {
    const [read, written] = [await digestTable(source.db, table), await digestTable(target.db, table)];
    if (read.sha256 !== written.sha256)
      throw new DatabaseProblem(
        "COPY_DIFFERS",
        `the table ${table.name} differs: ${read.rows} rows in the source, ${written.rows} in the target. ` +
          "The source has changed since the copy began; empty the target, and copy again",
      );
    listener.verified(table.name, read);
    digests.set(table.name, read);
  }
  // The planner knows nothing about new tables.
  if (target.name === "PostgreSQL") await sql`analyze`.execute(target.db);
  await unmarkCopy(target.db);
  return digests;
}

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

/** The last id that a table has assigned, even if that row was deleted. */
export async function readLastId({ db, name }: OpenedSchema, table: ExpectedTable): Promise<number> {
  const { rows } = await (name === "SQLite"
    ? sql<{ last: number }>`select seq as last from sqlite_sequence where name = ${table.name}`
    : sql<{ last: number }>`
        select case when is_called then last_value else 0 end as last from ${sql.id(await sequenceOf(db, table))}`
  ).execute(db);
  return rows[0]?.last ?? 0;
}

export async function writeLastId(
  { db, name }: OpenedSchema,
  table: ExpectedTable,
  last: number,
): Promise<void> {
  if (name === "PostgreSQL") {
    const sequence = await sequenceOf(db, table);
    await sql`select setval(${sequence}::regclass, ${Math.max(last, 1)}, ${last > 0})`.execute(db);
    return;
  }
  await sql`delete from sqlite_sequence where name = ${table.name}`.execute(db);
  await sql`insert into sqlite_sequence (name, seq) values (${table.name}, ${last})`.execute(db);
}

async function sequenceOf(db: OpenedSchema["db"], table: ExpectedTable): Promise<string> {
  const { rows } = await sql<{ name: string }>`
    select s.relname as name from pg_class s
    where s.oid = pg_get_serial_sequence(${table.name}, ${table.key[0]})::regclass`.execute(db);
  const [found] = rows;
  if (!found) throw new Error(`the table ${table.name} has no sequence`);
  return found.name;
}

/**
 * Makes a database ready to be filled: creates the tables, and marks it as an unfinished copy of `from`. Returns
 * whether it is such a copy already.
 *
 * @throws DatabaseProblem when it has other data.
 */
export async function prepareTarget(
  { db, kind }: OpenedSchema,
  tables: readonly ExpectedTable[],
  from: string,
): Promise<"new" | "continued"> {
  const { rows } = await kind.listColumns.execute(db);
  const there = new Set(rows.map(({ table }) => table));
  if (there.has(unfinishedCopy)) {
    const begun = await readCopySource(db);
    if (begun !== from)
      throw new DatabaseProblem(
        "COPY_TARGET_NOT_EMPTY",
        `the target is an unfinished copy of ${begun}, and not of ${from}; use an empty database`,
      );
    await readSchemaState(db, kind, true);
    return "continued";
  }
  if (there.size > 0 && !there.has("kysely_migration")) throw refusal([...there][0] ?? "");
  await applyMigrations(db, kind);
  await db.transaction().execute(async (tx) => {
    // Migrations insert one row; it is copied like any other.
    await sql`delete from test_numbers where last = 0`.execute(tx);
    for (const { name } of tables) {
      const found = await sql`select 1 as one from ${sql.table(name)} limit 1`.execute(tx);
      if (found.rows.length > 0) throw refusal(name);
    }
    await markCopy(tx, from);
  });
  return "new";
}

function refusal(table: string): DatabaseProblem {
  return new DatabaseProblem(
    "COPY_TARGET_NOT_EMPTY",
    `the target is not empty: it has the table ${table}, with other data; use an empty database`,
  );
}
