import { leasedRows } from "./leased-rows.ts";

/** Data received from GitHub, and what is shown there. */
export const gitHubTables: readonly string[] = [
  ...leasedRows("inbox"),
  // Webhooks from GitHub. `code` says why a delivery was given up.
  `create table deliveries (
    id text not null primary key,
    event text not null,
    action text,
    subject text unique,
    stream text not null,
    payload text,
    received_at bigint not null,
    state text not null,
    handled_at bigint,
    error text,
    code text
  )`,
  `create index deliveries_by_end on deliveries (handled_at) where handled_at is not null`,
  `create index deliveries_given_up on deliveries (stream, code) where code is not null`,
  // Our comment and check on each pull request. Global ids, because GraphQL needs them.
  `create table publications (
    repo_key text not null,
    pr bigint not null,
    comment_digest text,
    check_sha text,
    check_digest text,
    notice text,
    comment_node text,
    check_run_node text,
    written_at bigint not null,
    primary key (repo_key, pr)
  )`,
  `create index publications_by_age on publications (written_at)`,
  // The latest known head of each pull request.
  `create table heads (
    repo_key text not null,
    pr bigint not null,
    sha text not null,
    at bigint not null,
    primary key (repo_key, pr)
  )`,
  `create index heads_by_age on heads (at)`,
  `create table cursors (
    name text not null primary key,
    value text not null
  )`,
  // Limits of calls to GitHub, by installation.
  `create table call_limits (
    installation_id bigint primary key,
    rest_stopped_until bigint not null,
    graphql_stopped_until bigint not null,
    minute_tokens double precision not null,
    hour_tokens double precision not null,
    filled_at bigint not null
  )`,
];
