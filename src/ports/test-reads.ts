import type { RepositoryRef } from "../engine/model/queue.ts";
import type { StatusChange, TestStatus } from "../flaky/detection/status.ts";
import type { TestName } from "../flaky/identity.ts";
import type { QuarantineMode } from "../flaky/quarantine/decide-quarantine.ts";

/** Where a row stands in a list of tests: its time in milliseconds, and what tells apart what has the same. */
export interface Place {
  readonly at: number;
  readonly key: number;
}

/** The tests of a repository that are asked for. */
export type TestList =
  /** In force, with their quarantines' begin as the time of their place. */
  | { readonly kind: "quarantined" }
  /** Flaky and broken ones, or of one status, with the time of the status. */
  | { readonly kind: "unhealthy"; readonly status: Exclude<TestStatus, "HEALTHY"> | null }
  /** With a failed attempt from one time (inclusive) to another (exclusive), suspect uploads aside. All have the time 0. */
  | { readonly kind: "failing"; readonly from: number; readonly until: number };

export interface ListedTest extends Place, TestName {
  readonly id: string;
  readonly variant: string;
  readonly codeowners: readonly string[];
  readonly status: StatusChange;
  readonly mode: QuarantineMode;
  /** Null: it is not quarantined. */
  readonly quarantinedAt: number | null;
}

/** How often a test ran and failed, skipped runs and suspect uploads aside. What was forgiven has failed. */
export interface RunCounts {
  readonly runs: number;
  readonly failures: number;
}

/** Which tests are searched for. */
export interface TestSearch {
  /** In their name, file, suite or class, in any case; "" = anything. */
  readonly text: string;
  /** One of their code owners, in any case; "" = anybody. */
  readonly owner: string;
  readonly state: TestState;
}

/** `unhealthy`: flaky or broken. */
export type TestState = "unhealthy" | "flaky" | "broken" | "quarantined" | "any";

export interface FoundTest extends ListedTest {
  readonly lastWeek: RunCounts;
}

export interface CommonFailure {
  readonly summary: string;
  readonly count: number;
  readonly lastAt: number;
}

export interface TestDetails extends Omit<ListedTest, keyof Place> {
  /** As it is spelled. */
  readonly repo: RepositoryRef;
  readonly ticketUrl: string | null;
  /** The name that it had before; null = no other one is known. Counts and failures include those under that name. */
  readonly renamedFrom: string | null;
  readonly firstSeenAt: number;
  /** To the day. */
  readonly lastSeenAt: number;
  /** Newest last; only those that are remembered. */
  readonly changes: readonly StatusChange[];
  /** In the hour that is running and the 23 before it. */
  readonly lastDay: RunCounts;
  /** In the hour that is running and the 167 before it. */
  readonly lastWeek: RunCounts;
  /** Of seven days, the five that came oftenest, and among those that came as often the latest first. */
  readonly commonFailures: readonly CommonFailure[];
  /** Pull requests that it has failed in seven days, in the end and without being forgiven. */
  readonly pullRequestsImpacted: number;
}

/** What one job reported on a commit. */
export interface CommitReport {
  readonly runId: string;
  /** From 1. */
  readonly runAttempt: number;
  readonly job: string;
  readonly variant: string;
  readonly verdict: "passed" | "quarantined" | "failed" | "unknown";
  /** It says nothing about single tests: so much failed, or its kind is `unknown`. */
  readonly isSuspect: boolean;
  /** How many tests failed in the end. */
  readonly failedCount: number;
  /** Of these the first hundred. */
  readonly failed: readonly {
    readonly name: string;
    /** It has that status, or is quarantined. */
    readonly isKnownFlaky: boolean;
    /** No stable branch and no green run of the queue has reported it. False where the repository does not retry new tests. */
    readonly isNew: boolean;
  }[];
}

/** What is known of tests. A repository that nothing was uploaded for has none. */
export interface TestReads {
  /**
   * Tests of a list in its order, newest first (later places are older, or as old and of a smaller key): after a place, or before it
   * and then the nearest ones first; null = from the list's begin, or its end. `now` decides which quarantines are in force.
   */
  list(
    repo: RepositoryRef,
    list: TestList,
    from: { readonly direction: "after" | "before"; readonly place: Place | null; readonly limit: number },
    now: number,
  ): Promise<readonly ListedTest[]>;
  /** How many there are, or how many before a place. */
  count(repo: RepositoryRef, list: TestList, before: Place | null, now: number): Promise<number>;
  /** Tests that match a search, `limit` at most, those known last first. */
  search(repo: RepositoryRef, search: TestSearch, limit: number, now: number): Promise<readonly FoundTest[]>;
  /** What was reported on a commit, oldest first. */
  reportsOn(repo: RepositoryRef, headSha: string, now: number): Promise<readonly CommitReport[]>;
  /** Null: the repository has no such test. */
  details(repo: RepositoryRef, id: string, now: number): Promise<TestDetails | null>;
}
