import type { Kysely } from "kysely";

/** Keys that the service makes for itself, so that all its processes sign alike, and after a restart as before. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("signing_keys")
    .addColumn("name", "text", (column) => column.primaryKey().notNull())
    .addColumn("value", "text", (column) => column.notNull())
    .execute();
}
