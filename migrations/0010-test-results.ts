import { type ColumnDefinitionBuilder, type Kysely, SqliteAdapter, sql } from "kysely";

const required = (column: ColumnDefinitionBuilder) => column.notNull();

/** What tests came to, and what is known of them. What is packed is described in src/store/tests/packing/packed-results.ts and packed-days.ts. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createRepositories(db);
  await createTestCases(db);
  await createUploads(db);
  await createFailures(db);
  await createDays(db);
}

async function createRepositories(db: Kysely<unknown>): Promise<void> {
  await createTableWithId(db, "test_repositories")
    .addColumn("host", "text", required)
    .addColumn("owner", "text", required)
    .addColumn("name", "text", required)
    .addColumn("repo_key", "text", (column) => column.notNull().unique())
    // Off: nothing is quarantined, whatever else is set.
    .addColumn("quarantining", "integer", (column) => column.notNull().defaultTo(1))
    // Since when automatic quarantine has found no room in its budget; null = it has room.
    .addColumn("budget_spent_at", "bigint")
    // The file as it was read last, on the base branch; null = there is none, or it was not read yet.
    .addColumn("codeowners", "text")
    .addColumn("codeowners_read_at", "bigint")
    .execute();
}

async function createTestCases(db: Kysely<unknown>): Promise<void> {
  await createTableWithId(db, "test_cases", "sk")
    .addColumn("repo_id", "integer", (column) => column.notNull().references("test_repositories.id"))
    .addColumn("id", "text", required)
    .addColumn("name", "text", required)
    .addColumn("parent", "text")
    .addColumn("file", "text")
    .addColumn("classname", "text")
    .addColumn("variant", "text", required)
    .addColumn("codeowners", "text")
    .addColumn("status", "text", required)
    .addColumn("status_reason", "text", required)
    .addColumn("status_at", "bigint", required)
    .addColumn("history", "text")
    .addColumn("quarantine_mode", "text", required)
    .addColumn("quarantined", "integer", required)
    .addColumn("quarantined_at", "bigint")
    .addColumn("quarantine_expires_at", "bigint")
    .addColumn("quarantine_owner", "text")
    .addColumn("quarantine_reason", "text")
    .addColumn("ticket_url", "text")
    .addColumn("first_seen_at", "bigint", required)
    .addColumn("last_seen_at", "bigint", required)
    .addUniqueConstraint("test_cases_by_id", ["repo_id", "id"])
    .execute();
  const index = (name: string, columns: string[]) =>
    db.schema.createIndex(name).on("test_cases").columns(columns);
  await index("test_cases_quarantined", ["repo_id", "quarantined_at", "sk"])
    .where(sql.ref("quarantined"), "=", sql.lit(1))
    .execute();
  await index("test_cases_by_expiry", ["quarantine_expires_at"])
    .where(sql.ref("quarantined"), "=", sql.lit(1))
    .execute();
  await index("test_cases_with_history", ["repo_id", "sk"]).where("history", "is not", null).execute();
  await index("test_cases_by_age", ["last_seen_at"]).execute();
  await index("test_cases_unhealthy", ["repo_id", "status", "status_at", "sk"])
    .where(sql.ref("status"), "!=", sql.lit("HEALTHY"))
    .execute();
}

async function createUploads(db: Kysely<unknown>): Promise<void> {
  await createTableWithId(db, "test_uploads")
    .addColumn("repo_id", "integer", (column) => column.notNull().references("test_repositories.id"))
    // Of run, attempt, job, variant and content: the same upload again is the same row.
    .addColumn("digest", "text", required)
    .addColumn("at", "bigint", required)
    .addColumn("head_sha", "text", required)
    .addColumn("tree_sha", "text", required)
    .addColumn("branch", "text", required)
    .addColumn("kind", "text", required)
    .addColumn("pr", "bigint")
    .addColumn("run_id", "text", required)
    .addColumn("run_attempt", "integer", required)
    .addColumn("job", "text", required)
    .addColumn("variant", "text", required)
    .addColumn("cases", "integer", required)
    .addColumn("passed", "integer", required)
    .addColumn("failed", "integer", required)
    .addColumn("skipped", "integer", required)
    .addColumn("failed_at_first", "integer", required)
    .addColumn("is_green", "integer", required)
    .addColumn("is_suspect", "integer", required)
    .addColumn("verdict", "text", required)
    .addColumn("results", binaryOf(db), required)
    .addColumn("evaluated_at", "bigint")
    .addUniqueConstraint("test_uploads_once", ["repo_id", "digest"])
    .execute();
  const index = (name: string, columns: string[]) =>
    db.schema.createIndex(name).on("test_uploads").columns(columns);
  await index("test_uploads_by_tree", ["repo_id", "tree_sha", "job", "variant"]).execute();
  await index("test_uploads_by_head", ["repo_id", "head_sha"]).execute();
  await index("test_uploads_by_job", ["repo_id", "job", "variant", "kind", "id"])
    .where(sql.ref("is_green"), "=", sql.lit(1))
    .execute();
  await index("test_uploads_with_failures", ["repo_id", "id"])
    .where(sql.ref("failed_at_first"), ">", sql.lit(0))
    .where(sql.ref("is_suspect"), "=", sql.lit(0))
    .execute();
  await index("test_uploads_to_evaluate", ["id"]).where("evaluated_at", "is", null).execute();
  await index("test_uploads_by_age", ["at"]).execute();
}

async function createFailures(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("test_failures")
    .addColumn("test_sk", "integer", required)
    .addColumn("at", "bigint", required)
    .addColumn("upload_id", "integer", required)
    .addColumn("attempt", "integer", required)
    .addColumn("repo_id", "integer", required)
    .addColumn("kind", "text", required)
    .addColumn("pr", "bigint")
    .addColumn("is_final", "integer", required)
    .addColumn("quarantined", "integer", required)
    .addColumn("is_suspect", "integer", required)
    .addColumn("fingerprint", "text", required)
    .addColumn("duration_ms", "integer")
    .addPrimaryKeyConstraint("test_failures_pk", ["test_sk", "at", "upload_id", "attempt"])
    .execute();
  const index = (name: string, columns: string[]) =>
    db.schema.createIndex(name).on("test_failures").columns(columns);
  await index("test_failures_by_repository", ["repo_id", "at", "test_sk"]).execute();
  await index("test_failures_by_age", ["at"]).execute();
  await db.schema
    .createTable("test_failure_groups")
    .addColumn("test_sk", "integer", required)
    .addColumn("fingerprint", "text", required)
    .addColumn("version", "integer", required)
    .addColumn("summary", "text", required)
    .addColumn("first_at", "bigint", required)
    .addColumn("last_at", "bigint", required)
    .addPrimaryKeyConstraint("test_failure_groups_pk", ["test_sk", "fingerprint"])
    .execute();
}

async function createDays(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("test_days")
    .addColumn("block", "integer", required)
    .addColumn("day", "integer", required)
    .addColumn("kind", "text", required)
    .addColumn("counts", binaryOf(db), required)
    .addPrimaryKeyConstraint("test_days_pk", ["block", "day", "kind"])
    .execute();
  await db.schema.createIndex("test_days_by_age").on("test_days").columns(["day"]).execute();
}

/** Ids are never given again: packed results and counts name tests by them. */
function createTableWithId(db: Kysely<unknown>, table: string, id = "id") {
  const onSqlite = isOnSqlite(db);
  return db.schema
    .createTable(table)
    .addColumn(id, onSqlite ? "integer" : "serial", (column) =>
      onSqlite ? column.primaryKey().autoIncrement() : column.primaryKey(),
    );
}

function binaryOf(db: Kysely<unknown>) {
  return isOnSqlite(db) ? sql`blob` : sql`bytea`;
}

function isOnSqlite(db: Kysely<unknown>): boolean {
  return db.getExecutor().adapter instanceof SqliteAdapter;
}
