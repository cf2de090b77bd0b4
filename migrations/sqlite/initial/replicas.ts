/** Services that share a database, and what they tell each other. Only PostgreSQL has several (ADR 98). */
export const replicaTables: readonly string[] = [
  // `beats` grows while the replica lives. Whoever sees it stop for some seconds considers the replica dead.
  `create table replicas (
    id text not null primary key,
    name text not null,
    beats bigint not null
  )`,
  // One row at most: the replica that does what only one may do.
  `create table replica_lead (
    place integer not null primary key,
    holder text not null,
    beats bigint not null
  )`,
  `create table replica_notes (
    id integer primary key autoincrement,
    sender text not null,
    content text not null
  )`,
  // Requests of organisations, for the rate limit.
  `create table request_counts (
    second bigint not null,
    key text not null,
    used bigint not null,
    primary key (second, key)
  )`,
];
