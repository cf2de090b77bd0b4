import type { Kysely } from "kysely";

/** What was counted of each queue's log, and how far. Can be counted again from the log at any time. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("tallies")
    .addColumn("queue_id", "text", (column) => column.primaryKey().notNull().references("queues.id"))
    .addColumn("seq", "bigint", (column) => column.notNull())
    .addColumn("content", "text", (column) => column.notNull())
    .execute();
}
