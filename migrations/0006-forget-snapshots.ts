import { type Kysely, sql } from "kysely";

/** Snapshots now leave targets to the log. Those with targets in them are dropped: the log makes the state anew. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`delete from snapshots`.execute(db);
}
