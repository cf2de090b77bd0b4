import type { RepositoryRef } from "../engine/queue.ts";
import type { TestName } from "../flaky/identity.ts";

/** What was tested: a pull request, a branch that everybody builds on, or what the merge queue put together. */
export type TestBranchKind = "pr" | "stable" | "queue";

/** One job's run of its tests. */
export interface TestUploadFacts {
  readonly repo: RepositoryRef;
  readonly at: number;
  readonly headSha: string;
  /** Of the files that were tested. Results are compared on it, for one head may be tested on several bases. */
  readonly treeSha: string;
  readonly branch: string;
  readonly kind: TestBranchKind;
  readonly pr: number | null;
  readonly runId: string;
  readonly runAttempt: number;
  readonly job: string;
  readonly variant: string;
}

/** How one test went in an upload. */
export interface TestResult {
  readonly id: string;
  readonly test: TestName;
  readonly variant: string;
  readonly first: TestOutcomeCode;
  readonly last: TestOutcomeCode;
  /** It passed and it failed. */
  readonly flipped: boolean;
  readonly durationMs: number;
}

export type TestOutcomeCode = "passed" | "failed" | "skipped";

/** A failed attempt of a test. */
export interface TestFailureRecord {
  readonly id: string;
  /** From 1, within the upload. */
  readonly attempt: number;
  readonly isFinal: boolean;
  readonly isQuarantined: boolean;
  readonly fingerprint: { readonly id: string; readonly version: number; readonly summary: string };
  readonly durationMs: number | null;
}

export interface NewTestUpload extends TestUploadFacts {
  /** Of the run, the attempt, the job, the variant and the content: the same again is the same upload. */
  readonly digest: string;
  readonly cases: number;
  readonly isGreen: boolean;
  readonly isSuspect: boolean;
  readonly verdict: "passed" | "quarantined" | "failed" | "unknown";
  readonly results: readonly TestResult[];
  readonly failures: readonly TestFailureRecord[];
}

/** What was known before an upload that it is judged by. */
export interface UploadBackground {
  /** Cases of the job's last green run: on a stable or queue branch, else on any; null = there was none. */
  readonly expectedTests: number | null;
  /** How many tests failed in each of up to 200 uploads before it that failed somewhere and were not suspect. */
  readonly recentFailures: readonly number[];
}

/** The results of tests, as they arrive. */
export interface TestResultStore {
  background(repo: RepositoryRef, job: string, variant: string): Promise<UploadBackground>;
  /** Which of these tests are quarantined at a time. */
  quarantined(repo: RepositoryRef, ids: readonly string[], at: number): Promise<ReadonlySet<string>>;
  /** Keeps an upload with all that it holds, or nothing of it. Answers its id; that of the first, when it is kept already. */
  record(upload: NewTestUpload): Promise<{ readonly id: number; readonly isNew: boolean }>;
}
