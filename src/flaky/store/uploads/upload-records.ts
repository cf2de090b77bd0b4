import type { RepositoryRef } from "../../../engine/model/queue.ts";
import type { DetectionSettings } from "../../detection/settings.ts";
import type { TestName } from "../../identity.ts";
import type { TestOutcome } from "../../report/test-execution.ts";
import type { LateResults } from "./late-result-store.ts";

/**
 * What was tested: a pull request, a stable branch that everybody builds on, or a test branch of the merge
 * queue. An upload of the kind `unknown` forgives nothing and is no evidence.
 */
export type TestBranchKind = "pr" | "stable" | "queue" | "unknown";

/** A repository with known tests. */
export interface TestRepository {
  readonly id: number;
  /** Its spelling at the first upload. The ids of its tests are derived from it. */
  readonly repo: RepositoryRef;
  /** False: nothing is quarantined. */
  readonly quarantining: boolean;
  /** The detection settings for its uploads. */
  readonly detection: DetectionSettings;
}

/** One job's test run. */
export interface TestUploadFacts {
  readonly at: number;
  readonly headSha: string;
  /**
   * The tree SHA of the tested files. Results are compared by it, because one head may be tested on several
   * bases.
   */
  readonly treeSha: string;
  readonly branch: string;
  /** The stable branch to whose line the upload belongs; "" when unknown. */
  readonly line: string;
  readonly kind: TestBranchKind;
  readonly pr: number | null;
  readonly runId: string;
  /** Starts at 1. */
  readonly runAttempt: number;
  /** Jobs with the same name in different workflows are different jobs; "" when unknown. */
  readonly workflow: string;
  /** The name of the job's check. */
  readonly job: string;
  /** Distinguishes runs of the job that are not comparable; "" = all are comparable. */
  readonly variant: string;
  /** Distinguishes the uploads of one job; "" when it has only one. */
  readonly step: string;
}

/** The place of a test run. Only runs of the same place are compared. */
export type TestPlace = Pick<TestUploadFacts, "workflow" | "job" | "variant" | "step">;

/** A test in one variant. */
export interface NamedTest extends TestName {
  /** The UUID. */
  readonly id: string;
  readonly variant: string;
  /** Null when no rule matches it. */
  readonly owners: readonly string[] | null;
}

/** The numbers of tests, by test id. */
export interface TestNumbers {
  get(id: string): number | undefined;
}

export interface TestResult {
  readonly id: string;
  /** Its number, if the store has returned it. */
  readonly sk?: number;
  readonly first: TestOutcome;
  readonly last: TestOutcome;
  /** The test both passed and failed. */
  readonly flipped: boolean;
  readonly durationMs: number;
}

export interface TestFailureRecord {
  readonly id: string;
  /** Within the upload, starting at 1. */
  readonly attempt: number;
  /** The test finally failed. */
  readonly isFinal: boolean;
  readonly isQuarantined: boolean;
  /** The id is 16 hex digits. */
  readonly fingerprint: { readonly id: string; readonly version: number; readonly summary: string };
  readonly durationMs: number | null;
}

export interface NewTestUpload extends TestUploadFacts {
  /**
   * Digest of the run, the attempt, the job, the variant and the content. An upload with the same digest is
   * the same upload.
   */
  readonly digest: string;
  /** The number of cases in the reports. Each attempt is a separate case. */
  readonly cases: number;
  /** The job passed, every report arrived complete, and no test failed. */
  readonly isGreen: boolean;
  /** It is no evidence about tests, and is excluded from rates. */
  readonly isSuspect: boolean;
  readonly verdict: "passed" | "quarantined" | "failed" | "unknown";
  /** One per test. Iterated several times. */
  readonly results: Iterable<TestResult>;
  readonly failures: readonly TestFailureRecord[];
  /** Results that are added later. */
  readonly late?: LateResults | null;
}

/** A quarantine in force, for all or for one pull request. */
export interface HeldQuarantine {
  readonly owner: string | null;
  readonly reason: string;
  readonly expiresAt: number | null;
  readonly ticketUrl: string | null;
}
