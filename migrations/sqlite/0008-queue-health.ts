import { type Kysely, sql } from "kysely";

/** Figures of each queue by the hour, and where their computation stands. Both can be computed again from the log. */
export const queueHealth: readonly string[] = [
  `create table health_folds (
    queue_id text not null primary key references queues (id),
    seq bigint not null,
    content text not null
  )`,
  `create table health_hours (
    queue_id text not null references queues (id),
    at bigint not null,
    steps text not null,
    stays text not null,
    primary key (queue_id, at)
  )`,
  `create index health_hours_by_age on health_hours (at)`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of queueHealth) await sql.raw(statement).execute(db);
}
