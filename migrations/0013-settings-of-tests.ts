import type { Kysely } from "kysely";

/** What people set about a repository's tests. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // JSON, what differs from the defaults; null = nothing. `quarantining` has a column of its own already.
  await db.schema.alterTable("test_repositories").addColumn("settings", "text").execute();
}
