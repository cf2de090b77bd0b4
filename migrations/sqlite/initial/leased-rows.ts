/**
 * Rows that workers claim under a lease: the outbox or the inbox. Ids are never reused: a worker that lost its lease must not settle a
 * later row.
 */
export const leasedRows = (table: "outbox" | "inbox"): readonly string[] => [
  `create table ${table} (
    id integer primary key autoincrement,
    stream text not null,
    content text not null,
    coalesces integer not null,
    not_before bigint not null,
    due_at bigint,
    attempts integer default 0 not null,
    failures integer default 0 not null,
    failed_as text,
    failed_in_a_row integer default 0 not null,
    claimed_at bigint,
    lease_owner text,
    lease_until bigint,
    last_error text,
    wanted_at bigint
  )`,
  `create index ${table}_by_stream on ${table} (stream, id)`,
  `create index ${table}_by_due_time on ${table} (due_at, id) where due_at is not null`,
];
