import type { Kysely } from "kysely";

/** Since when statuses of a repository's tests have changed without its quarantines having been decided about. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable("test_repositories").addColumn("unplanned_since", "bigint").execute();
}
