import type { RepositoryRef } from "../../../engine/model/queue.ts";
import type { Evidence } from "../../detection/evidence.ts";
import type { StatusChange, TestStatus } from "../../detection/status.ts";
import type { TestName } from "../../identity.ts";
import type { Quarantine, QuarantineMode } from "../../quarantine/decide-quarantine.ts";
import type { TestBranchKind } from "../uploads/upload-records.ts";

/**
 * A row's position in a list of tests: its time in milliseconds, and a key that distinguishes rows of the
 * same time.
 */
export interface Place {
  readonly at: number;
  readonly key: number;
}

/** A list of a repository's tests. */
export type TestList =
  /** Quarantines in force, ordered by when they began. */
  | { readonly kind: "quarantined" }
  /** Flaky and broken tests, or tests of one status, ordered by the time of the status. */
  | { readonly kind: "unhealthy"; readonly status: Exclude<TestStatus, "HEALTHY"> | null }
  /**
   * Tests with a failed attempt from `from` (inclusive) until `until` (exclusive), except in suspect uploads.
   * All have the time 0.
   */
  | { readonly kind: "failing"; readonly from: number; readonly until: number };

export interface ListedTest extends Place, TestName {
  readonly id: string;
  readonly variant: string;
  readonly codeowners: readonly string[];
  readonly status: StatusChange;
  readonly mode: QuarantineMode;
  /** Null when it is not quarantined. */
  readonly quarantinedAt: number | null;
}

/**
 * How often a test ran and failed, without skipped runs and suspect uploads. Forgiven failures count as
 * failures.
 */
export interface RunCounts {
  readonly runs: number;
  readonly failures: number;
}

export interface TestSearch {
  /** Matches the name, file, suite or class, case-insensitively; "" matches everything. */
  readonly text: string;
  /** Matches a code owner, case-insensitively; "" matches everything. */
  readonly owner: string;
  /** Matches the file, suite or class, case-insensitively; "" matches everything. */
  readonly suite: string;
  readonly state: TestState;
}

/** `unhealthy`: flaky or broken. */
export type TestState = "unhealthy" | "flaky" | "broken" | "quarantined" | "any";

export interface CommonFailure {
  readonly summary: string;
  readonly count: number;
  readonly lastAt: number;
}

export interface TestDetails extends Omit<ListedTest, keyof Place> {
  /** The test's number. */
  readonly sk: number;
  /** With its original spelling. */
  readonly repo: RepositoryRef;
  readonly ticketUrl: string | null;
  /** The test's earlier name; null when none is known. Counts and failures include those of the earlier name. */
  readonly renamedFrom: string | null;
  readonly firstSeenAt: number;
  /** Accurate to the day. */
  readonly lastSeenAt: number;
  /** Newest last. Older changes are not stored. */
  readonly changes: readonly StatusChange[];
  /** The current hour and the 23 before it. */
  readonly lastDay: RunCounts;
  /** The current hour and the 167 before it. */
  readonly lastWeek: RunCounts;
  /** The five most frequent failures of seven days; of equally frequent ones, the latest first. */
  readonly commonFailures: readonly CommonFailure[];
  /** The number of pull requests in which it finally failed, unforgiven, in seven days. */
  readonly pullRequestsImpacted: number;
}

/** The runs of a test in 24 hours of UTC. */
export interface DayOutcomes {
  /** In milliseconds since the epoch. */
  readonly at: number;
  readonly passed: number;
  /** Failed, and passed in a later attempt of the same run. */
  readonly flaky: number;
  readonly failed: number;
}

export interface JobRun {
  readonly upload: number;
  readonly at: number;
  readonly runId: string;
  readonly runAttempt: number;
  readonly job: string;
  readonly headSha: string;
  readonly branch: string;
  readonly kind: TestBranchKind;
  readonly pr: number | null;
}

/** Failures of one test with one fingerprint. */
export interface FailureGroup {
  /** One masked line. */
  readonly summary: string;
  /** The number of runs. */
  readonly count: number;
  readonly firstAt: number;
  readonly lastAt: number;
  /** The latest runs. */
  readonly runs: readonly JobRun[];
}

/** What the test's page shows in addition to its details. */
export interface TestStory {
  /** The oldest first, the last one is today. */
  readonly days: readonly DayOutcomes[];
  /** Of the same days, the most frequent ones first. */
  readonly failures: readonly FailureGroup[];
  /** Runs in which it failed together with too many other tests. They are no evidence against any test. */
  readonly suspectRuns: number;
  readonly evidence: readonly Evidence[];
  /** The runs on the trees of the latest flips, with the test's outcome. */
  readonly runsByTree: ReadonlyMap<string, readonly TreeRun[]>;
  /** The issue that was opened for it; null when there is none. */
  readonly issue: { readonly number: number; readonly url: string; readonly isOpen: boolean } | null;
  /** The quarantine in force; null when there is none. */
  readonly quarantine: Quarantine | null;
}

export interface TreeRun extends JobRun {
  /** `flaky`: it failed, and passed in a later attempt of the same run. */
  readonly outcome: "passed" | "flaky" | "failed";
}

/** The report of one job on a commit. */
export interface CommitReport {
  readonly runId: string;
  /** Starts at 1. */
  readonly runAttempt: number;
  readonly job: string;
  readonly variant: string;
  readonly verdict: "passed" | "quarantined" | "failed" | "unknown";
  /**
   * The report is no evidence about single tests, because too many failed or the upload's kind is `unknown`.
   */
  readonly isSuspect: boolean;
  /** The number of tests that finally failed. */
  readonly failedCount: number;
  /** The first hundred of these tests. */
  readonly failed: readonly {
    readonly name: string;
    /** Whether its status is flaky, or it is quarantined. */
    readonly isKnownFlaky: boolean;
    /** Whether no stable branch and no green run of the queue has reported it. Always false if the repository does not retry new tests. */
    readonly isNew: boolean;
  }[];
}
