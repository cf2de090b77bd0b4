import type { Kysely } from "kysely";

/** Browsers that are signed in to the dashboard, by the digest of what their cookie holds. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("dashboard_sessions")
    .addColumn("id_sha256", "text", (column) => column.primaryKey().notNull())
    .addColumn("token_id", "text", (column) => column.notNull())
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addColumn("expires_at", "bigint", (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex("dashboard_sessions_by_end")
    .on("dashboard_sessions")
    .column("expires_at")
    .execute();
}
