import { type Kysely, sql } from "kysely";
import { parseStored } from "../queries/corrupt-row.ts";
import { unfinishedCopy } from "../schema/copy-mark.ts";
import type { RowKey, StoredValue } from "./row-pages.ts";

/** The row that names the source; no table has this name. */
const source = "";
const mark = sql.table(unfinishedCopy);

interface Progress {
  readonly copied: number;
  /** The key of the last copied row. */
  readonly last: RowKey | null;
}

/** Marks a database as an unfinished copy of `from`. While it is marked, no service uses it. */
export async function markCopy(tx: Kysely<unknown>, from: string): Promise<void> {
  await sql`create table ${mark} (name text primary key, copied bigint not null, last text)`.execute(tx);
  await sql`insert into ${mark} values (${source}, 0, ${from})`.execute(tx);
}

/** The database that a marked one is a copy of. */
export async function readCopySource(db: Kysely<unknown>): Promise<string | null> {
  const { rows } = await sql<{ last: string }>`select last from ${mark} where name = ${source}`.execute(db);
  return rows[0]?.last ?? null;
}

export async function readProgress(db: Kysely<unknown>, table: string): Promise<Progress> {
  const { rows } = await sql<{ copied: number; last: string }>`
    select copied, last from ${mark} where name = ${table}`.execute(db);
  const [row] = rows;
  return row ? { copied: row.copied, last: parseKey(row.last) } : { copied: 0, last: null };
}

export async function writeProgress(
  tx: Kysely<unknown>,
  table: string,
  copied: number,
  last: RowKey,
): Promise<void> {
  const key = JSON.stringify(
    last.map((value) => (value instanceof Uint8Array ? { hex: toHex(value) } : value)),
  );
  await sql`
    insert into ${mark} (name, copied, last) values (${table}, ${copied}, ${key})
    on conflict (name) do update set copied = excluded.copied, last = excluded.last`.execute(tx);
}

export async function unmarkCopy(db: Kysely<unknown>): Promise<void> {
  await sql`drop table ${mark}`.execute(db);
}

function parseKey(text: string): RowKey {
  const values = parseStored<(StoredValue | { readonly hex: string })[]>(text, "the progress of the copy");
  return values.map((value) =>
    typeof value === "object" && value !== null && "hex" in value ? Buffer.from(value.hex, "hex") : value,
  );
}

function toHex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}
