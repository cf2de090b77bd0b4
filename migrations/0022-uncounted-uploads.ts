import type { Kysely } from "kysely";

/** Uploads that were evaluated, and whose runs are counted in several transactions: up to which test they are. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("test_uncounted_uploads")
    .addColumn("upload_id", "integer", (column) =>
      column.primaryKey().references("test_uploads.id").onDelete("cascade"),
    )
    .addColumn("next_sk", "integer", (column) => column.notNull())
    .execute();
}
