import { type Kysely, sql } from "kysely";

/** The lost place that our comment was written for; null = it is the first comment. */
export const commentMarks: readonly string[] = [`alter table publications add column comment_mark text`];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of commentMarks) await sql.raw(statement).execute(db);
}
