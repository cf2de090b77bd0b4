import type { Kysely } from "kysely";

/** Evaluated uploads whose runs are still being counted, and the test that is counted next. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("test_uncounted_uploads")
    .addColumn("upload_id", "integer", (column) =>
      column.primaryKey().references("test_uploads.id").onDelete("cascade"),
    )
    .addColumn("next_sk", "integer", (column) => column.notNull())
    .execute();
}
