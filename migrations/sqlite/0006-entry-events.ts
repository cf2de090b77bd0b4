import { type Kysely, sql } from "kysely";

/** The events of each pull request's story. Those from before this migration are not found. */
export const entryEvents: readonly string[] = [
  `alter table entries add column event_seqs text default '' not null`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of entryEvents) await sql.raw(statement).execute(db);
}
