import type { Kysely } from "kysely";

/** Counters that only grow, by organisation; and since when what waits has been wanted, however often it was put off. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("meters")
    .addColumn("organisation", "text", (column) => column.notNull())
    .addColumn("series", "text", (column) => column.notNull())
    .addColumn("value", "double precision", (column) => column.notNull())
    .addPrimaryKeyConstraint("meters_pk", ["organisation", "series"])
    .execute();
  for (const table of ["outbox", "inbox"])
    await db.schema.alterTable(table).addColumn("wanted_at", "bigint").execute();
}
