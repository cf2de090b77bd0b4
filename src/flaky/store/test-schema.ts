import type { Generated } from "kysely";
import type { RepositoryColumns } from "../../store/sqlite/schema.ts";
import type { TestStatus } from "../detection/status.ts";
import type { QuarantineMode } from "../quarantine/decide-quarantine.ts";
import type { StoredId } from "./identities/test-ids.ts";
import type { TestBranchKind } from "./uploads/upload-records.ts";

export interface TestSchema {
  test_repositories: TestRepositoryTable;
  test_cases: TestCaseTable;
  test_ids: TestIdTable;
  test_suites: TestSuiteTable;
  test_numbers: TestNumberTable;
  test_new_tests: NewTestsTable;
  test_uploads: TestUploadTable;
  test_failures: TestFailureTable;
  test_failure_groups: TestFailureGroupTable;
  test_days: TestDayTable;
  test_late_reports: TestLateReportTable;
  test_uncounted_uploads: TestUncountedUploadTable;
  test_failing_hours: TestFailingHourTable;
  test_bundles: TestBundleTable;
  test_shared_places: TestSharedPlaceTable;
  test_issues: TestIssueTable;
  test_renames: TestRenameTable;
}

/** A test under its new name, with its earlier name. */
interface TestRenameTable {
  to_sk: number;
  /** The row of the earlier name may have been deleted. */
  from_sk: number;
  repo_id: number;
  from_name: string;
  from_parent: string | null;
  /** Whether no stable branch reports the earlier name any more. */
  is_retired: number;
  /** The upload in which the rename was found. */
  upload_id: number;
  at: number;
}

/** A job, with variant and step, for which one run sends several uploads with the same tests. */
interface TestSharedPlaceTable {
  repo_id: number;
  job: string;
  variant: string;
  step: string;
  /** The largest number of uploads of one run. */
  uploads: number;
}

/** The GitHub issue about a flaky or broken test, and the work that is due for it. */
interface TestIssueTable {
  test_sk: number;
  repo_id: number;
  test_id: string;
  number: number | null;
  url: string | null;
  /** The state that we last set. People may have closed the issue since. */
  is_open: Generated<number>;
  /** When it was decided to open the issue, which counts against the hourly maximum. */
  opened_at: number | null;
  /** Since when an unrecorded issue may exist; null = none can exist. */
  tried_at: number | null;
  /** The time of the status change that the issue describes. */
  told_status_at: number | null;
  /** Null when no work is due. While leased, the end of the lease. */
  due_at: number | null;
  lease_owner: string | null;
  lease_until: number | null;
  attempts: Generated<number>;
  last_error: string | null;
}

interface TestBundleTable {
  id: string;
  secret_sha256: string;
  repo_id: number;
  expires_at: number;
}

/** A repository with known tests. */
export interface TestRepositoryTable extends RepositoryColumns {
  id: Generated<number>;
  quarantining: Generated<number>;
  /** JSON: the values of `TestSettings` that differ from the defaults; null when none do. */
  settings: string | null;
  budget_spent_at: number | null;
  /** Since when its quarantines need to be planned again; null when they are up to date. */
  unplanned_since: number | null;
  /** JSON, a `TestRules["issuesRefused"]`. */
  issues_refused: string | null;
  codeowners: string | null;
  codeowners_read_at: number | null;
}

/** The last number that was assigned to a test. One row. */
interface TestNumberTable {
  one: number;
  last: number;
}

/** A test in one variant. `sk` increases, is never reused, and identifies the test in packed data. */
export interface TestCaseTable {
  sk: number;
  repo_id: number;
  /** As computed by `flaky/identity.ts`. */
  id: StoredId;
  name: string;
  /** Null when the row itself contains all names of the test. See test-suites.ts. */
  in_suite: number | null;
  own_parent: string | null;
  own_file: string | null;
  own_classname: string | null;
  /** Whether the class is equal to the test's name. */
  is_named_as_class: number;
  variant: string;
  /** JSON, a list of owners; null when no rule matches it. */
  codeowners: string | null;
  status: TestStatus;
  /** JSON, a `StatusReason`; null when nothing is known. */
  status_reason: string | null;
  status_at: number;
  /** JSON, a `TestHistory`; null while there is no evidence against it. */
  history: string | null;
  /** When its runs last proved that it is flaky; null when they never did. */
  proven_at: number | null;
  /** JSON, a `FlakyPlaces`; null while there is no evidence against it. */
  flaky_places: string | null;
  quarantine_mode: QuarantineMode;
  /**
   * Whether it is quarantined; the columns below give the details. An expired quarantine does not count,
   * although this stays 1 until a worker ends it, which does not happen while the repository's quarantining
   * is disabled.
   */
  quarantined: number;
  quarantined_at: number | null;
  quarantine_expires_at: number | null;
  quarantine_owner: string | null;
  quarantine_reason: string | null;
  ticket_url: string | null;
  first_seen_at: number;
  /** Accurate to the day. */
  last_seen_at: number;
}

/**
 * The number of each test by its id. In a separate table, because ids are inserted in the order of ids, and rows in the order of numbers.
 */
interface TestIdTable {
  repo_id: number;
  id: StoredId;
  test_sk: number;
}

/** The names that several tests share. A suite has the number of its first test, whose row may have been deleted. */
interface TestSuiteTable {
  suite_sk: number;
  common_parent: string | null;
  common_file: string | null;
  common_classname: string | null;
}

/** Tests of a repository that have numbers but no rows yet. */
interface NewTestsTable {
  id: Generated<number>;
  repo_id: number;
  first_sk: number;
  at: number;
  /** See packed-tests.ts. */
  tests: Uint8Array;
}

/** The results of one job's tests. */
export interface TestUploadTable {
  id: Generated<number>;
  repo_id: number;
  digest: string;
  at: number;
  head_sha: string;
  tree_sha: string;
  branch: string;
  /** The stable branch to whose line the upload belongs; "" when unknown. */
  line: Generated<string>;
  kind: TestBranchKind;
  pr: number | null;
  run_id: string;
  run_attempt: number;
  /** "" when unknown. */
  workflow: string;
  job: string;
  variant: string;
  step: Generated<string>;
  /** The number of cases in the reports. The next three columns count tests by final outcome. */
  cases: number;
  passed: number;
  failed: number;
  skipped: number;
  /** The number of tests whose first attempt failed, regardless of later attempts. */
  failed_at_first: number;
  /** The job passed, every report arrived complete, and no test failed. Later uploads of the job are compared with this one. */
  is_green: number;
  /** The upload is no evidence about single tests, because too many failed or its kind is `unknown`. */
  is_suspect: number;
  verdict: "passed" | "quarantined" | "failed" | "unknown";
  /** See packed-results.ts. */
  results: Uint8Array;
  /** When it was evaluated; null when not yet. */
  evaluated_at: number | null;
  /** Why it can never be evidence; null otherwise. */
  given_up: "RESULTS_UNREADABLE" | null;
}

/** Why the upload can never be evidence; null otherwise. */
export interface TestFailureTable {
  test_sk: number;
  at: number;
  upload_id: number;
  /** Within the upload, starting at 1. */
  attempt: number;
  repo_id: number;
  kind: TestBranchKind;
  pr: number | null;
  /** The test finally failed; 0 when a later attempt of the upload passed. */
  is_final: number;
  /** The failure was forgiven. */
  quarantined: number;
  /** From a suspect upload; excluded from rates. */
  is_suspect: number;
  fingerprint: string;
  duration_ms: number | null;
  /** How long all tests of the upload took. Null: not known. */
  tests_ms: number | null;
}

/** The duration of all tests of the upload; null = not known. */
export interface TestFailureGroupTable {
  test_sk: number;
  fingerprint: string;
  /** The version of the fingerprint rules. */
  version: number;
  summary: string;
  first_at: number;
  last_at: number;
}

/**
 * A report of an upload that lacks the results of passed tests: its counts include them, but its `results` do
 * not. While it has reports here, its results are not read.
 */
export interface TestLateReportTable {
  upload_id: number;
  /** The index among the upload's reports, from 0. */
  position: number;
  encoding: "text" | "gzip" | "zstd";
  /** For the encoding `text`, it is compressed with zstd. */
  content: Uint8Array;
}

/** An evaluated upload whose runs are not all in `test_days` yet. A separate table, because changing a row of `test_uploads` rewrites its results. */
export interface TestUncountedUploadTable {
  upload_id: number;
  /** The runs of tests with lower numbers are counted. */
  next_sk: number;
}

/** How often a block of tests ran and failed in the hours of a UTC day; see packed-days.ts. */
export interface TestDayTable {
  block: number;
  /** Days since the epoch. */
  day: number;
  kind: TestBranchKind;
  counts: Uint8Array;
}

/** The tests of a repository with a failed attempt in an hour, without suspect uploads. */
export interface TestFailingHourTable {
  repo_id: number;
  /** Hours since the epoch. */
  hour: number;
  /** The tests' numbers; see number-set.ts. */
  tests: Uint8Array;
}
