import { type Kysely, sql } from "kysely";

/** The issues that are opened for flaky tests. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("test_issues")
    // Not a reference: the issue outlives its test, and has to be closed then.
    .addColumn("test_sk", "integer", (column) => column.primaryKey().notNull())
    .addColumn("repo_id", "integer", (column) => column.notNull().references("test_repositories.id"))
    .addColumn("test_id", "text", (column) => column.notNull())
    .addColumn("number", "integer")
    .addColumn("url", "text")
    .addColumn("is_open", "integer", (column) => column.notNull().defaultTo(0))
    .addColumn("opened_at", "bigint")
    .addColumn("tried_at", "bigint")
    .addColumn("told_status_at", "bigint")
    .addColumn("due_at", "bigint")
    .addColumn("lease_owner", "text")
    .addColumn("lease_until", "bigint")
    .addColumn("attempts", "integer", (column) => column.notNull().defaultTo(0))
    .addColumn("last_error", "text")
    .execute();
  await db.schema
    .createIndex("test_issues_due")
    .on("test_issues")
    .columns(["due_at"])
    .where(sql.ref("due_at"), "is not", null)
    .execute();
  await db.schema
    .createIndex("test_issues_opened")
    .on("test_issues")
    .columns(["repo_id", "opened_at"])
    .execute();
  // JSON: why no issue is opened although that is set; null = nothing is in the way.
  await db.schema.alterTable("test_repositories").addColumn("issues_refused", "text").execute();
}
