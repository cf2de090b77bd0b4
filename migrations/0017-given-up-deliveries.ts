import { type Kysely, sql } from "kysely";

/** Why a delivery was given up, and finding those that were without reading all. They are forgotten like what was handled. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable("deliveries").addColumn("code", "text").execute();
  await sql`update deliveries set code = 'NOT_HANDLED', handled_at = received_at where state = 'parked'`.execute(
    db,
  );
  await db.schema
    .createIndex("deliveries_given_up")
    .on("deliveries")
    .columns(["stream", "code"])
    .where("code", "is not", null)
    .execute();
}
