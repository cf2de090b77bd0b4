import type { Kysely } from "kysely";

/** A repository keeps its id whatever it is called. Of queues that are there it is read when they are looked at next. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable("queues").addColumn("repository_id", "bigint").execute();
}
