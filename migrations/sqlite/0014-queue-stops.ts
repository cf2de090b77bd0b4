import { type Kysely, sql } from "kysely";

/**
 * The events that stop a queue (`stops` = 1) or let it continue, in two series: its status, and its freeze. The log has no index by kind.
 * Those that were archived before this migration are not found.
 */
export const queueStops: readonly string[] = [
  `create table queue_stops (
    queue_id text not null references queues (id),
    type text not null,
    seq bigint not null,
    stops integer not null,
    primary key (queue_id, type, seq)
  )`,
];
/** The logs are written by `JSON.stringify`, so each event begins with its type. */
export const fillQueueStops: readonly string[] = [
  `insert into queue_stops (queue_id, type, seq, stops)
    select queue_id, 'queue_status_changed', seq, case when content like '{"type":"queue_status_changed","to":"running"%' then 0 else 1 end
    from events where content like '{"type":"queue_status_changed",%'`,
  `insert into queue_stops (queue_id, type, seq, stops)
    select queue_id, 'freeze_changed', seq, case when content like '{"type":"freeze_changed","freeze":null%' then 0 else 1 end
    from events where content like '{"type":"freeze_changed",%'`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of [...queueStops, ...fillQueueStops]) await sql.raw(statement).execute(db);
}
