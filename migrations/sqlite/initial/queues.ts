import { leasedRows } from "./leased-rows.ts";

/** Queues, their logs, and what is derived from them. */
export const queueTables: readonly string[] = [
  // A repository keeps its id when it is renamed; null until it has been read.
  `create table queues (
    id text not null primary key,
    host text not null,
    owner text not null,
    name text not null,
    repo_key text not null,
    branch text not null,
    installation_id bigint not null,
    created_at bigint not null,
    deleted integer default 0 not null,
    repository_id bigint
  )`,
  `create unique index queues_one_per_branch on queues (repo_key, branch) where deleted = 0`,
  `create table events (
    queue_id text not null references queues (id),
    seq bigint not null,
    at bigint not null,
    content text not null,
    primary key (queue_id, seq)
  )`,
  // Events that are older than a month, compressed in blocks.
  `create table archived_events (
    queue_id text not null references queues (id),
    last_seq bigint not null,
    first_seq bigint not null,
    content blob not null,
    primary key (queue_id, last_seq)
  )`,
  // States of queues, so that not the whole log is read at the start.
  `create table snapshots (
    queue_id text not null,
    seq bigint not null,
    state text not null,
    primary key (queue_id, seq),
    foreign key (queue_id, seq) references events (queue_id, seq)
  )`,
  // The pull requests of the queues as the API lists them.
  `create table entries (
    queue_id text not null references queues (id),
    pr bigint not null,
    state text not null,
    head_ref text not null,
    submitted_at bigint not null,
    ended_at bigint,
    content text not null,
    primary key (queue_id, pr)
  )`,
  `create index entries_by_head_ref on entries (queue_id, head_ref)`,
  `create index entries_by_end on entries (queue_id, ended_at, pr) where ended_at is not null`,
  `create index entries_by_age on entries (ended_at) where ended_at is not null`,
  `create index entries_by_submission on entries (queue_id, submitted_at, pr)`,
  // Statistics of each queue, up to the event `seq`. Can be computed again from the log.
  `create table tallies (
    queue_id text not null primary key references queues (id),
    seq bigint not null,
    content text not null
  )`,
  `create table test_runs (
    queue_id text not null references queues (id),
    run_id text not null,
    started_at bigint not null,
    ended_at bigint,
    content text not null,
    primary key (queue_id, run_id)
  )`,
  `create index test_runs_by_age on test_runs (ended_at) where ended_at is not null`,
  ...leasedRows("outbox"),
  // Responses to requests with an `Idempotency-Key`.
  `create table idempotency_keys (
    organisation text not null,
    key text not null,
    request text not null,
    answer text,
    begun_at bigint not null,
    primary key (organisation, key)
  )`,
  `create index idempotency_keys_by_age on idempotency_keys (begun_at)`,
  // The impacted targets of pull requests. `source` says who uploaded them.
  `create table targets (
    repo_key text not null,
    pr bigint not null,
    head_sha text not null,
    host text not null,
    owner text not null,
    name text not null,
    uploaded_at bigint not null,
    targets text not null,
    source text default 'organisation' not null,
    primary key (repo_key, pr, head_sha)
  )`,
  `create index targets_by_age on targets (uploaded_at)`,
  // The names of impacted targets, packed, and their number.
  `create table target_names (
    repo_key text not null,
    pr bigint not null,
    head_sha text not null,
    uploaded_at bigint not null,
    total bigint,
    names blob not null,
    primary key (repo_key, pr, head_sha)
  )`,
  `create index target_names_by_age on target_names (uploaded_at)`,
];
