import type { Kysely } from "kysely";

/** Addresses at which Trunk's uploader may leave a bundle. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("test_bundles")
    .addColumn("id", "text", (column) => column.primaryKey().notNull())
    .addColumn("secret_sha256", "text", (column) => column.notNull())
    .addColumn("repo_id", "integer", (column) => column.notNull().references("test_repositories.id"))
    .addColumn("expires_at", "bigint", (column) => column.notNull())
    .execute();
  await db.schema.createIndex("test_bundles_by_age").on("test_bundles").columns(["expires_at"]).execute();
}
