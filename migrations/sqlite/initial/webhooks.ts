/** Webhooks to other services, and counters. */
export const webhookTables: readonly string[] = [
  // Receivers of webhooks. Secrets are encrypted, see ADR 21.
  `create table webhook_endpoints (
    id text not null primary key,
    organisation text not null,
    url text not null,
    description text not null,
    events text not null,
    enabled integer not null,
    secret text not null,
    previous_secret text,
    previous_until bigint,
    created_at bigint not null,
    deleted_at bigint,
    delivered bigint default 0 not null,
    failed bigint default 0 not null,
    parked bigint default 0 not null
  )`,
  `create index webhook_endpoints_by_organisation on webhook_endpoints (organisation, created_at)`,
  // Ids are never reused, as in the outbox.
  `create table webhook_deliveries (
    id integer primary key autoincrement,
    endpoint_id text not null references webhook_endpoints (id),
    message_id text not null,
    type text not null,
    stream text not null,
    payload text not null,
    state text not null,
    created_at bigint not null,
    give_up_at bigint not null,
    not_before bigint not null,
    due_at bigint,
    attempts integer default 0 not null,
    lease_owner text,
    lease_until bigint,
    last_status integer,
    last_error text,
    ended_at bigint,
    unique (endpoint_id, message_id)
  )`,
  `create index webhook_deliveries_by_stream on webhook_deliveries (endpoint_id, stream, state, id)`,
  `create index webhook_deliveries_by_endpoint on webhook_deliveries (endpoint_id, id)`,
  `create index webhook_deliveries_by_state on webhook_deliveries (endpoint_id, state, id)`,
  `create index webhook_deliveries_by_due_time
    on webhook_deliveries (endpoint_id, due_at, id)
    where due_at is not null`,
  `create index webhook_deliveries_by_end on webhook_deliveries (state, ended_at) where ended_at is not null`,
  // Counters that only grow, by organisation.
  `create table meters (
    organisation text not null,
    series text not null,
    value double precision not null,
    primary key (organisation, series)
  )`,
];
