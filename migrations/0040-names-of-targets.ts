import { type Kysely, SqliteAdapter, sql } from "kysely";

/** Names of what heads impact, packed, and how many there are. Of earlier uploads only numbers were kept. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const binary = db.getExecutor().adapter instanceof SqliteAdapter ? sql`blob` : sql`bytea`;
  await db.schema
    .createTable("target_names")
    .addColumn("repo_key", "text", (column) => column.notNull())
    .addColumn("pr", "bigint", (column) => column.notNull())
    .addColumn("head_sha", "text", (column) => column.notNull())
    .addColumn("uploaded_at", "bigint", (column) => column.notNull())
    .addColumn("total", "bigint")
    .addColumn("names", binary, (column) => column.notNull())
    .addPrimaryKeyConstraint("target_names_pk", ["repo_key", "pr", "head_sha"])
    .execute();
  await db.schema.createIndex("target_names_by_age").on("target_names").columns(["uploaded_at"]).execute();
}
