import { type Kysely, sql } from "kysely";

/**
 * How long all tests of the upload took. It is kept with each failure, because a column of `test_uploads` would come after `results`,
 * and SQLite reads through that to reach it.
 */
export const timeOfTests = `alter table test_failures add column tests_ms bigint`;

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(timeOfTests).execute(db);
}
