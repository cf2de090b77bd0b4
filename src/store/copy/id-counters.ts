import { sql } from "kysely";
import type { ExpectedTable } from "../schema/expected-tables.ts";
import type { OpenedSchema } from "../schema/open-schema.ts";

/** The last id that a table has given, also to a row that was deleted. */
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
