/** Test results, and what is derived from them. For packed columns see `src/flaky/store/packing/`. */
export const testTables: readonly string[] = [
  // `settings` is JSON with what differs from the defaults. `budget_spent_at`: since when the quarantine budget has been
  // full. `issues_refused` is JSON: why no issue can be opened. `unplanned_since`: since when statuses have changed without
  // a decision about quarantines.
  `create table test_repositories (
    id integer primary key autoincrement,
    host text not null,
    owner text not null,
    name text not null,
    repo_key text not null unique,
    quarantining integer default 1 not null,
    budget_spent_at bigint,
    codeowners text,
    codeowners_read_at bigint,
    settings text,
    issues_refused text,
    unplanned_since bigint
  )`,
  // The names that the tests of a suite share.
  `create table test_suites (
    suite_sk integer primary key,
    common_parent text,
    common_file text,
    common_classname text
  )`,
  // Numbers are given by `test_numbers`, and never reused: packed results refer to them.
  `create table test_cases (
    sk integer primary key,
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
  )`,
  `create index test_cases_by_age on test_cases (last_seen_at)`,
  `create index test_cases_by_expiry on test_cases (quarantine_expires_at) where quarantined = 1`,
  `create index test_cases_with_history on test_cases (repo_id, sk) where history is not null`,
  `create index test_cases_quarantined
    on test_cases (repo_id, quarantined_at, sk, quarantine_expires_at)
    where quarantined = 1`,
  `create index test_cases_unhealthy on test_cases (repo_id, status_at, sk, status) where status != 'HEALTHY'`,
  // Separate from test_cases, so that many new tests can be inserted in the order of their numbers.
  `create table test_ids (
    repo_id integer not null references test_repositories (id),
    id blob not null,
    test_sk integer not null,
    primary key (repo_id, id)
  ) without rowid`,
  // Known tests whose rows have not been inserted yet, packed. `first_sk` is the number of the first; the others follow it.
  `create table test_new_tests (
    id integer primary key autoincrement,
    repo_id integer not null references test_repositories (id),
    first_sk integer not null,
    at bigint not null,
    tests blob not null
  )`,
  // Kept here, because the row of the earlier name is deleted some time after its last run.
  `create table test_renames (
    to_sk integer primary key,
    from_sk integer not null,
    repo_id integer not null references test_repositories (id),
    from_name text not null,
    from_parent text,
    is_retired integer not null,
    upload_id integer not null,
    at bigint not null
  )`,
  `create index test_renames_by_from on test_renames (from_sk)`,
  // `digest` covers run, attempt, job, variant and content: a repeated upload gives the same row. `line` is the stable
  // branch on whose history it ran. `results` is the last column, because SQLite reads through it to reach columns after it.
  `create table test_uploads (
    id integer primary key autoincrement,
    repo_id integer not null references test_repositories (id),
    digest text not null,
    at bigint not null,
    head_sha text not null,
    tree_sha text not null,
    branch text not null,
    kind text not null,
    pr bigint,
    run_id text not null,
    run_attempt integer not null,
    job text not null,
    variant text not null,
    cases integer not null,
    passed integer not null,
    failed integer not null,
    skipped integer not null,
    failed_at_first integer not null,
    is_green integer not null,
    is_suspect integer not null,
    verdict text not null,
    evaluated_at bigint,
    given_up text,
    line text default '' not null,
    step text default '' not null,
    workflow text default '' not null,
    results blob not null,
    unique (repo_id, digest)
  )`,
  `create index test_uploads_by_tree on test_uploads (repo_id, tree_sha, job, variant)`,
  `create index test_uploads_by_head on test_uploads (repo_id, head_sha)`,
  `create index test_uploads_with_failures
    on test_uploads (repo_id, id)
    where failed_at_first > 0 and is_suspect = 0`,
  `create index test_uploads_to_evaluate on test_uploads (id) where evaluated_at is null`,
  `create index test_uploads_by_age on test_uploads (at)`,
  `create index test_uploads_on_stable on test_uploads (repo_id, id, branch) where kind = 'stable'`,
  `create index test_uploads_by_job on test_uploads (repo_id, job, variant, step, kind, id) where is_green = 1`,
  `create index test_uploads_by_line
    on test_uploads (repo_id, line, job, variant, step, workflow, kind, id)
    where is_green = 1`,
  `create index test_uploads_of_places
    on test_uploads (repo_id, id, at, line, workflow, job, variant, step, run_id, is_suspect, given_up)
    where kind = 'stable'`,
  // Reports of uploads that were answered before all of their results were stored.
  `create table test_late_reports (
    upload_id integer not null references test_uploads (id) on delete cascade,
    position integer not null,
    encoding text not null,
    content blob not null,
    primary key (upload_id, position)
  )`,
  // Evaluated uploads whose runs are still being counted, and the test to count next.
  `create table test_uncounted_uploads (
    upload_id integer primary key references test_uploads (id) on delete cascade,
    next_sk integer not null
  )`,
  // Jobs that send several uploads with the same tests in one run.
  `create table test_shared_places (
    repo_id integer not null references test_repositories (id),
    job text not null,
    variant text not null,
    step text not null,
    uploads integer not null,
    primary key (repo_id, job, variant, step)
  )`,
  `create table test_failures (
    test_sk integer not null,
    at bigint not null,
    upload_id integer not null,
    attempt integer not null,
    repo_id integer not null,
    kind text not null,
    pr bigint,
    is_final integer not null,
    quarantined integer not null,
    is_suspect integer not null,
    fingerprint text not null,
    duration_ms integer,
    primary key (test_sk, at, upload_id, attempt)
  )`,
  `create index test_failures_by_age on test_failures (at)`,
  `create index test_failures_by_repository on test_failures (repo_id, at, test_sk, is_suspect)`,
  `create table test_failure_groups (
    test_sk integer not null,
    fingerprint text not null,
    version integer not null,
    summary text not null,
    first_at bigint not null,
    last_at bigint not null,
    primary key (test_sk, fingerprint)
  )`,
  // The tests that failed in each hour, packed.
  `create table test_failing_hours (
    repo_id integer not null references test_repositories (id),
    hour integer not null,
    tests blob not null,
    primary key (repo_id, hour)
  )`,
  `create index test_failing_hours_by_age on test_failing_hours (hour)`,
  // Runs and failures of each day, packed by blocks of tests.
  `create table test_days (
    block integer not null,
    day integer not null,
    kind text not null,
    counts blob not null,
    primary key (block, day, kind)
  )`,
  `create index test_days_by_age on test_days (day)`,
  // `test_sk` is no reference: an issue outlives its test, and has to be closed then.
  `create table test_issues (
    test_sk integer not null primary key,
    repo_id integer not null references test_repositories (id),
    test_id text not null,
    number integer,
    url text,
    is_open integer default 0 not null,
    opened_at bigint,
    tried_at bigint,
    told_status_at bigint,
    due_at bigint,
    lease_owner text,
    lease_until bigint,
    attempts integer default 0 not null,
    last_error text
  )`,
  `create index test_issues_due on test_issues (due_at) where due_at is not null`,
  `create index test_issues_opened on test_issues (repo_id, opened_at)`,
  // Upload addresses for Trunk's uploader.
  `create table test_bundles (
    id text not null primary key,
    secret_sha256 text not null,
    repo_id integer not null references test_repositories (id),
    expires_at bigint not null
  )`,
  `create index test_bundles_by_age on test_bundles (expires_at)`,
  // The last number that a test has got. It has one row, and numbers are never reused.
  `create table test_numbers (
    one integer not null primary key,
    last integer not null
  )`,
  `insert into test_numbers (one, last) values (1, 0)`,
];
