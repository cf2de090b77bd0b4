import { type Kysely, sql } from "kysely";

/** Adds the alarms that nothing merges to `queue_stops`. Those that were archived before this migration are not found. */
export const fillAlarms = `insert into queue_stops (queue_id, type, seq, stops)
  select queue_id, 'stall_changed', seq, case when content like '{"type":"stall_changed","stall":null%' then 0 else 1 end
  from events where content like '{"type":"stall_changed",%'`;

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(fillAlarms).execute(db);
}
