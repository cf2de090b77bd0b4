import { type Kysely, sql } from "kysely";

/** Keys that the service makes for itself, and lists of tests that are read in their order, by their indexes alone. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("signing_keys")
    .addColumn("name", "text", (column) => column.primaryKey().notNull())
    .addColumn("value", "text", (column) => column.notNull())
    .execute();
  for (const name of ["test_cases_quarantined", "test_cases_unhealthy", "test_failures_by_repository"])
    await db.schema.dropIndex(name).execute();
  await db.schema
    .createIndex("test_cases_quarantined")
    .on("test_cases")
    .columns(["repo_id", "quarantined_at", "sk", "quarantine_expires_at"])
    .where(sql.ref("quarantined"), "=", sql.lit(1))
    .execute();
  await db.schema
    .createIndex("test_failures_by_repository")
    .on("test_failures")
    .columns(["repo_id", "at", "test_sk", "is_suspect"])
    .execute();
  await db.schema
    .createIndex("test_cases_unhealthy")
    .on("test_cases")
    .columns(["repo_id", "status_at", "sk", "status"])
    .where(sql.ref("status"), "!=", sql.lit("HEALTHY"))
    .execute();
}
