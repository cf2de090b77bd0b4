import { type Kysely, sql } from "kysely";

/**
 * States of queues at distances of about a thousand events, so that any moment of the past is found without folding the whole log. `at`
 * is the latest time of the events up to `seq`, and `marks` what the axis of time shows of those since the row before. All of it can
 * be computed again from the log.
 */
export const pastStates: readonly string[] = [
  `create table past_states (
    queue_id text not null references queues (id),
    seq bigint not null,
    at bigint not null,
    marks text not null,
    state blob not null,
    primary key (queue_id, seq)
  )`,
  `create index past_states_by_time on past_states (queue_id, at, seq)`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of pastStates) await sql.raw(statement).execute(db);
}
