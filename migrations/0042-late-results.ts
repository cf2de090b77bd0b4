import type { Kysely } from "kysely";
import { sql } from "kysely";

/** The reports of uploads that were answered before all of their results were kept. See src/store/tests/uploads/late-result-store.ts. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("test_late_reports")
    .addColumn("upload_id", "integer", (column) =>
      column.notNull().references("test_uploads.id").onDelete("cascade"),
    )
    .addColumn("position", "integer", (column) => column.notNull())
    .addColumn("encoding", "text", (column) => column.notNull())
    .addColumn("content", sql`blob`, (column) => column.notNull())
    .addPrimaryKeyConstraint("test_late_reports_key", ["upload_id", "position"])
    .execute();
}
