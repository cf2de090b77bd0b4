import { type Kysely, sql } from "kysely";

/** Tallies are now written with each commit, in another form. The service counts the logs again. */
export const talliesOfCommits = `delete from tallies`;

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(talliesOfCommits).execute(db);
}
