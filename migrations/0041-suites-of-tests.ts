import { type Kysely, sql } from "kysely";

/**
 * What the tests of a suite have in common gets a table of its own, and ids that are UUIDs take 16 bytes instead of 36 characters. Tests
 * that are stored already keep their file, class and suite in their own row.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table test_suites (
    suite_sk integer primary key,
    common_parent text,
    common_file text,
    common_classname text
  )`.execute(db);
  await rebuildTestIds(db);
  const last = await lastNumber(db);
  await rebuildTestCases(db);
  await createIndexes(db);
  // SQLite has noted the largest number that was copied, and larger ones may have been given.
  await sql`delete from sqlite_sequence where name = 'test_cases'`.execute(db);
  await sql`insert into sqlite_sequence (name, seq) values ('test_cases', ${last})`.execute(db);
}

/** As `src/store/tests/packing/stored-id.ts` has them: the bytes of a UUID in lower case, and any other id as it is. */
const storedId = sql.raw(
  `case when id like '________-____-____-____-____________' and id = lower(id)
     and length(unhex(replace(id, '-', ''))) = 16 then unhex(replace(id, '-', '')) else id end`,
);

async function rebuildTestIds(db: Kysely<unknown>): Promise<void> {
  await sql`create table test_ids_rebuilt (
    repo_id integer not null references test_repositories (id),
    id blob not null,
    test_sk integer not null,
    primary key (repo_id, id)
  ) without rowid`.execute(db);
  await sql`insert into test_ids_rebuilt (repo_id, id, test_sk)
    select repo_id, ${storedId}, test_sk from test_ids order by repo_id, id`.execute(db);
  await sql`drop table test_ids`.execute(db);
  await sql`alter table test_ids_rebuilt rename to test_ids`.execute(db);
}

async function lastNumber(db: Kysely<unknown>): Promise<number> {
  const { rows } = await sql<{
    seq: number;
  }>`select seq from sqlite_sequence where name = 'test_cases'`.execute(db);
  const [row] = rows;
  if (!row) throw new Error("the last number of a test is not known");
  return row.seq;
}

const columns = sql.raw(
  `sk, repo_id, name, variant, codeowners, status, status_reason, status_at, history, quarantine_mode, quarantined, quarantined_at,
   quarantine_expires_at, quarantine_owner, quarantine_reason, ticket_url, first_seen_at, last_seen_at, proven_at, flaky_places`,
);

/** SQLite cannot change the type of a column. */
async function rebuildTestCases(db: Kysely<unknown>): Promise<void> {
  await sql`create table test_cases_rebuilt (
    sk integer primary key autoincrement,
    repo_id integer not null references test_repositories (id),
    id blob not null,
    name text not null,
    in_suite integer,
    own_parent text,
    own_file text,
    own_classname text,
    is_named_as_class integer not null default 0,
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
  await sql`insert into test_cases_rebuilt (${columns}, id, own_parent, own_file, own_classname)
    select ${columns}, ${storedId}, parent, file, classname from test_cases order by sk`.execute(db);
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
