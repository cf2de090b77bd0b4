import type { Kysely } from "kysely";

/** What was answered to commands that came with an `Idempotency-Key`. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("idempotency_keys")
    .addColumn("organisation", "text", (column) => column.notNull())
    .addColumn("key", "text", (column) => column.notNull())
    .addColumn("request", "text", (column) => column.notNull())
    .addColumn("answer", "text")
    .addColumn("begun_at", "bigint", (column) => column.notNull())
    .addPrimaryKeyConstraint("idempotency_keys_pk", ["organisation", "key"])
    .execute();
  await db.schema
    .createIndex("idempotency_keys_by_age")
    .on("idempotency_keys")
    .columns(["begun_at"])
    .execute();
}
