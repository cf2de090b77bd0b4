import { type Kysely, sql } from "kysely";

/** Finds the last green upload of a job's step on the line of a stable branch. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createIndex("test_uploads_by_line")
    .on("test_uploads")
    .columns(["repo_id", "line", "job", "variant", "step", "workflow", "kind", "id"])
    .where(sql.ref("is_green"), "=", sql.lit(1))
    .execute();
}
