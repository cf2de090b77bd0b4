import type { Kysely } from "kysely";

/** Listing a queue's pull requests, newest submission first, is a range of this index. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createIndex("entries_by_submission")
    .on("entries")
    .columns(["queue_id", "submitted_at", "pr"])
    .execute();
}
