import type { Generated } from "kysely";
import type { TestStatus } from "../flaky/detection/status.ts";
import type { QuarantineMode } from "../flaky/quarantine/decide-quarantine.ts";
import type { TestBranchKind } from "../ports/test-result-store.ts";
import type { RepositoryColumns } from "./schema.ts";
import type { StoredId } from "./stored-id.ts";

/** The tables about tests. */
export interface TestSchema {
  test_repositories: TestRepositoryTable;
  test_cases: TestCaseTable;
  test_ids: TestIdTable;
  test_suites: TestSuiteTable;
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

/** A test under its new name, and the name that it had before. */
interface TestRenameTable {
  to_sk: number;
  /** The row of the earlier name may have been deleted. */
  from_sk: number;
  repo_id: number;
  from_name: string;
  from_parent: string | null;
  /** No stable branch reports the earlier name any more. */
  is_retired: number;
  /** The upload that showed it. */
  upload_id: number;
  at: number;
}

/** A job, with variant and step, of which one run sends several uploads with the same tests. */
interface TestSharedPlaceTable {
  repo_id: number;
  job: string;
  variant: string;
  step: string;
  /** The most of one run. */
  uploads: number;
}

/** The issue of a test. */
interface TestIssueTable {
  test_sk: number;
  repo_id: number;
  test_id: string;
  number: number | null;
  url: string | null;
  /** As we have left it: people may have closed it. */
  is_open: Generated<number>;
  /** When its opening was planned, which counts against the hour. */
  opened_at: number | null;
  /** Since when it may be there without our knowing; null = what is known is all. */
  tried_at: number | null;
  /** The change of the test's status that it tells of. */
  told_status_at: number | null;
  /** Null: nothing is to be done. While it is leased, the lease's end. */
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

/** A repository whose tests are known. */
export interface TestRepositoryTable extends RepositoryColumns {
  id: Generated<number>;
  quarantining: Generated<number>;
  /** JSON, of a `TestSettings` what differs from the defaults; null = nothing. */
  settings: string | null;
  budget_spent_at: number | null;
  /** Since when quarantines are to be decided about anew; null = they are as they should be. */
  unplanned_since: number | null;
  /** JSON, a `TestRules["issuesRefused"]`. */
  issues_refused: string | null;
  codeowners: string | null;
  codeowners_read_at: number | null;
}

/** A test and variant. `sk` grows, is never given again, and names it in what is packed. */
export interface TestCaseTable {
  sk: Generated<number>;
  repo_id: number;
  /** Of `flaky/identity.ts`. */
  id: StoredId;
  name: string;
  /** Null = its own row has all of its names. See test-suites.ts. */
  in_suite: number | null;
  own_parent: string | null;
  own_file: string | null;
  own_classname: string | null;
  /** Its class has the name of the test. */
  is_named_as_class: number;
  variant: string;
  /** JSON, a list of owners; null = no rule names it. */
  codeowners: string | null;
  status: TestStatus;
  /** JSON, a `StatusReason`; null = nothing is known of it. */
  status_reason: string | null;
  status_at: number;
  /** JSON, a `TestHistory`; null while nothing speaks against it. */
  history: string | null;
  /** When its runs last showed that it is flaky; null = never. */
  proven_at: number | null;
  /** JSON, a `FlakyPlaces`; null while nothing speaks against it. */
  flaky_places: string | null;
  quarantine_mode: QuarantineMode;
  /**
   * Of its quarantine, the columns below say more. After its expiry it counts as none, although this may still be 1 for the minute
   * until a worker has ended it; and so it is while the repository's quarantining is off.
   */
  quarantined: number;
  quarantined_at: number | null;
  quarantine_expires_at: number | null;
  quarantine_owner: string | null;
  quarantine_reason: string | null;
  ticket_url: string | null;
  first_seen_at: number;
  /** To the day. */
  last_seen_at: number;
}

/** The number of each test by its id. A table of its own: many ids are inserted in their order, and rows by number. */
interface TestIdTable {
  repo_id: number;
  id: StoredId;
  test_sk: number;
}

/** What several tests have in common; its number is that of the first of them, whose row may have been deleted. */
interface TestSuiteTable {
  suite_sk: number;
  common_parent: string | null;
  common_file: string | null;
  common_classname: string | null;
}

/** Tests of a repository that have numbers, and whose rows are still to be inserted. */
interface NewTestsTable {
  id: Generated<number>;
  repo_id: number;
  first_sk: number;
  at: number;
  /** See pack-tests.ts. */
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
  /** The stable branch on whose line it is; "" = it is not known. */
  line: Generated<string>;
  kind: TestBranchKind;
  pr: number | null;
  run_id: string;
  run_attempt: number;
  /** "" = it is not known. */
  workflow: string;
  job: string;
  variant: string;
  step: Generated<string>;
  /** As the reports have them; the next three count tests by how they ended. */
  cases: number;
  passed: number;
  failed: number;
  skipped: number;
  /** Tests whose first attempt failed, whatever became of them. */
  failed_at_first: number;
  /** The job passed, every report arrived whole, and no test failed: what later uploads of the job are compared with. */
  is_green: number;
  /** It says nothing about single tests: so much failed, or its kind is `unknown`. */
  is_suspect: number;
  verdict: "passed" | "quarantined" | "failed" | "unknown";
  /** See packed-results.ts. */
  results: Uint8Array;
  /** When detection has seen it; null = not yet. */
  evaluated_at: number | null;
  /** Why it is no evidence, and never will be; null = it is, or may be. */
  given_up: "RESULTS_UNREADABLE" | null;
}

/** One failed attempt. */
export interface TestFailureTable {
  test_sk: number;
  at: number;
  upload_id: number;
  /** From 1, within the upload. */
  attempt: number;
  repo_id: number;
  kind: TestBranchKind;
  pr: number | null;
  /** The test failed in the end; 0 = a later attempt of the upload passed. */
  is_final: number;
  /** The failure was forgiven. */
  quarantined: number;
  /** Of an upload that says nothing about single tests: it enters no rate. */
  is_suspect: number;
  fingerprint: string;
  duration_ms: number | null;
}

/** What failures of one test have in common. */
export interface TestFailureGroupTable {
  test_sk: number;
  fingerprint: string;
  /** Of the rules that made the fingerprint. */
  version: number;
  summary: string;
  first_at: number;
  last_at: number;
}

/**
 * A report of an upload that lacks the results of tests that passed: its counts have them, and `results` do not. Nobody reads those while
 * there are reports here.
 */
export interface TestLateReportTable {
  upload_id: number;
  /** From 0, among those of the upload. */
  position: number;
  encoding: "text" | "gzip" | "zstd";
  /** A text is compressed. */
  content: Uint8Array;
}

/** An evaluated upload whose runs are not all in `test_days` yet. A separate table, because changing a row of `test_uploads` rewrites its results. */
export interface TestUncountedUploadTable {
  upload_id: number;
  /** The runs of tests with lower numbers are counted. */
  next_sk: number;
}

/** How often tests ran and failed in the hours of a UTC day, for a block of them; see packed-days.ts. */
export interface TestDayTable {
  block: number;
  /** Days since the epoch. */
  day: number;
  kind: TestBranchKind;
  counts: Uint8Array;
}

/** The tests of a repository of which an attempt failed in an hour, suspect uploads aside. */
export interface TestFailingHourTable {
  repo_id: number;
  /** Hours since the epoch. */
  hour: number;
  /** Their numbers; see packed-numbers.ts. */
  tests: Uint8Array;
}
