import type { Kysely } from "kysely";

/** What was tested, and what came of it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("test_runs")
    .addColumn("queue_id", "text", (column) => column.notNull().references("queues.id"))
    .addColumn("run_id", "text", (column) => column.notNull())
    .addColumn("started_at", "bigint", (column) => column.notNull())
    .addColumn("ended_at", "bigint")
    .addColumn("content", "text", (column) => column.notNull())
    .addPrimaryKeyConstraint("test_runs_pk", ["queue_id", "run_id"])
    .execute();
}
