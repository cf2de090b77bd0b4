import { type Kysely, sql } from "kysely";

/** Tests whose earlier name is known. It is kept here, because the row of the earlier name is deleted when it has not run for long. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("test_renames")
    .addColumn("to_sk", "integer", (column) => column.primaryKey())
    .addColumn("from_sk", "integer", (column) => column.notNull())
    .addColumn("repo_id", "integer", (column) => column.notNull().references("test_repositories.id"))
    .addColumn("from_name", "text", (column) => column.notNull())
    .addColumn("from_parent", "text")
    .addColumn("is_retired", "integer", (column) => column.notNull())
    .addColumn("upload_id", "integer", (column) => column.notNull())
    .addColumn("at", "bigint", (column) => column.notNull())
    .execute();
  await db.schema.createIndex("test_renames_by_from").on("test_renames").columns(["from_sk"]).execute();
  // Has all columns that are read: SQLite goes through the results of an upload to reach the columns behind them.
  await db.schema
    .createIndex("test_uploads_of_places")
    .on("test_uploads")
    .columns(["repo_id", "id", "at", "line", "workflow", "job", "variant", "step", "run_id"])
    .columns(["is_suspect", "given_up"])
    .where(sql.ref("kind"), "=", sql.lit("stable"))
    .execute();
}
