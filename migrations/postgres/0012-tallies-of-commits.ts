import { type Kysely, sql } from "kysely";
import { talliesOfCommits } from "../sqlite/0012-tallies-of-commits.ts";

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(talliesOfCommits).execute(db);
}
