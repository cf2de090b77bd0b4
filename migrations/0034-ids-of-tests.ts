import { type Kysely, sql } from "kysely";

/**
 * The ids of tests move from a constraint of their table to a table of their own, so that the rows of many new tests can be inserted
 * by number and their ids by id. A status that nothing is known of takes no reason.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const last = await lastNumber(db);
  await createTestIds(db);
  await rebuildTestCases(db);
  await createIndexes(db);
  // SQLite has noted the largest number that was copied, and larger ones may have been given.
  await sql`delete from sqlite_sequence where name = 'test_cases'`.execute(db);
  await sql`insert into sqlite_sequence (name, seq) values ('test_cases', ${last})`.execute(db);
}

async function lastNumber(db: Kysely<unknown>): Promise<number> {
  const { rows } = await sql<{
    seq: number;
  }>`select seq from sqlite_sequence where name = 'test_cases'`.execute(db);
  const [row] = rows;
  if (!row) throw new Error("the last number of a test is not known");
  return row.seq;
}

async function createTestIds(db: Kysely<unknown>): Promise<void> {
  await sql`create table test_ids (
    repo_id integer not null references test_repositories (id),
    id text not null,
    test_sk integer not null,
    primary key (repo_id, id)
  ) without rowid`.execute(db);
  await sql`insert into test_ids (repo_id, id, test_sk) select repo_id, id, sk from test_cases order by repo_id, id`.execute(
    db,
  );
}

const columns = sql.raw(
  `sk, repo_id, id, name, parent, file, classname, variant, codeowners, status, status_at, history, quarantine_mode, quarantined,
   quarantined_at, quarantine_expires_at, quarantine_owner, quarantine_reason, ticket_url, first_seen_at, last_seen_at, proven_at,
   flaky_places`,
);

/** SQLite cannot take a constraint from a table. */
async function rebuildTestCases(db: Kysely<unknown>): Promise<void> {
  await sql`create table test_cases_rebuilt (
    sk integer primary key autoincrement,
    repo_id integer not null references test_repositories (id),
    id text not null,
    name text not null,
    parent text,
    file text,
    classname text,
    variant text not null,
    codeowners text,
    status text not null,
    status_reason text,
    status_at bigint not null,
    history text,
    quarantine_mode text not null,
    quarantined integer not null,
    quarantined_at bigint,
    quarantine_expires_at bigint,
    quarantine_owner text,
    quarantine_reason text,
    ticket_url text,
    first_seen_at bigint not null,
    last_seen_at bigint not null,
    proven_at bigint,
    flaky_places text
  )`.execute(db);
  await sql`insert into test_cases_rebuilt (${columns}, status_reason)
    select ${columns}, nullif(status_reason, '{"code":"NOTHING_KNOWN"}') from test_cases order by sk`.execute(
    db,
  );
  await sql`drop table test_cases`.execute(db);
  await sql`alter table test_cases_rebuilt rename to test_cases`.execute(db);
}

async function createIndexes(db: Kysely<unknown>): Promise<void> {
  const index = (name: string, columns: string[]) =>
    db.schema.createIndex(name).on("test_cases").columns(columns);
  await index("test_cases_by_age", ["last_seen_at"]).execute();
  await index("test_cases_by_expiry", ["quarantine_expires_at"])
    .where(sql.ref("quarantined"), "=", sql.lit(1))
    .execute();
  await index("test_cases_with_history", ["repo_id", "sk"]).where("history", "is not", null).execute();
  await index("test_cases_quarantined", ["repo_id", "quarantined_at", "sk", "quarantine_expires_at"])
    .where(sql.ref("quarantined"), "=", sql.lit(1))
    .execute();
  await index("test_cases_unhealthy", ["repo_id", "status_at", "sk", "status"])
    .where(sql.ref("status"), "!=", sql.lit("HEALTHY"))
    .execute();
}
