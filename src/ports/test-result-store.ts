import type { RepositoryRef } from "../engine/model/queue.ts";
import type { RunPlace } from "../flaky/detection/history.ts";
import type { DetectionSettings } from "../flaky/detection/settings.ts";
import type { TestName } from "../flaky/identity.ts";
import type { TestOutcome } from "../flaky/report/test-run.ts";
import type { LateResults } from "./late-result-store.ts";

/**
 * What was tested: a pull request, a branch that everybody builds on, or what the merge queue put together. An upload of the kind
 * `unknown` forgives nothing and is no evidence.
 */
export type TestBranchKind = "pr" | "stable" | "queue" | "unknown";

/** A repository whose tests are known. */
export interface TestRepository {
  readonly id: number;
  /** As it was spelled first, which the ids of its tests are made of. */
  readonly repo: RepositoryRef;
  /** Off: nothing is quarantined. */
  readonly quarantining: boolean;
  /** What its uploads are judged by. */
  readonly detection: DetectionSettings;
}

/** One job's run of its tests. */
export interface TestUploadFacts {
  readonly at: number;
  readonly headSha: string;
  /** Of the files that were tested. Results are compared on it, for one head may be tested on several bases. */
  readonly treeSha: string;
  readonly branch: string;
  /** The stable branch on whose line it is; "" = it is not known. */
  readonly line: string;
  readonly kind: TestBranchKind;
  readonly pr: number | null;
  readonly runId: string;
  /** From 1. */
  readonly runAttempt: number;
  /** Jobs of one name in different workflows are different jobs; "" = it is not known. */
  readonly workflow: string;
  /** As the job's check is named. */
  readonly job: string;
  /** What tells runs of the job apart that are not comparable; "" = nothing. */
  readonly variant: string;
  /** What tells the uploads of one job apart; "" = it has only one. */
  readonly step: string;
}

/** What the runs of tests are compared within. */
export type TestPlace = Pick<TestUploadFacts, "workflow" | "job" | "variant" | "step">;

/** A test and variant. */
export interface NamedTest extends TestName {
  /** The UUID. */
  readonly id: string;
  readonly variant: string;
  /** Null: no rule names it. */
  readonly owners: readonly string[] | null;
}

/** The numbers of tests, by id. */
export interface TestNumbers {
  get(id: string): number | undefined;
}

/** How one test went in an upload. */
export interface TestResult {
  readonly id: string;
  /** Its number, where the store has told it. */
  readonly sk?: number;
  readonly first: TestOutcome;
  readonly last: TestOutcome;
  /** It passed and it failed. */
  readonly flipped: boolean;
  readonly durationMs: number;
}

/** A failed attempt of a test. */
export interface TestFailureRecord {
  readonly id: string;
  /** From 1, within the upload. */
  readonly attempt: number;
  /** The test failed in the end. */
  readonly isFinal: boolean;
  readonly isQuarantined: boolean;
  /** The id is 16 hex digits. */
  readonly fingerprint: { readonly id: string; readonly version: number; readonly summary: string };
  readonly durationMs: number | null;
}

export interface NewTestUpload extends TestUploadFacts {
  /** Of the run, the attempt, the job, the variant and the content: the same again is the same upload. */
  readonly digest: string;
  /** As the reports have them, each attempt that is a case of its own. */
  readonly cases: number;
  /** The job passed, every report arrived whole, and no test failed. */
  readonly isGreen: boolean;
  /** It is no evidence about tests, and enters no rate. */
  readonly isSuspect: boolean;
  readonly verdict: "passed" | "quarantined" | "failed" | "unknown";
  /** One of each test; gone through several times. */
  readonly results: Iterable<TestResult>;
  readonly failures: readonly TestFailureRecord[];
  /** What is to be added later. */
  readonly late?: LateResults | null;
}

/** What was known before an upload that it is judged by. */
export interface UploadBackground {
  /**
   * Cases of the place's last green upload of a stable branch or the queue, else of a pull request. Uploads of the same line come first,
   * and those of other lines count only if it has none. Null = there was no green upload.
   */
  readonly expectedTests: number | null;
  /** How many tests failed at first in each of up to `limit` uploads before it where some did and that were not suspect. */
  readonly recentFailures: readonly number[];
}

/** A quarantine that holds, for all or for one pull request. */
export interface HeldQuarantine {
  readonly owner: string | null;
  readonly reason: string;
  readonly expiresAt: number | null;
  readonly ticketUrl: string | null;
}

/** The results of tests, as they arrive. */
export interface TestResultStore {
  /** Null: nothing of its tests is known. */
  repository(repo: RepositoryRef): Promise<TestRepository | null>;
  /** The repository, which is known from now on. */
  addRepository(repo: RepositoryRef): Promise<TestRepository>;
  background(
    repositoryId: number,
    of: TestPlace & { readonly line: string; readonly limit: number },
  ): Promise<UploadBackground>;
  /** Those of some tests whose failures are forgiven in a run, by id. */
  quarantined(
    repositoryId: number,
    ids: readonly string[],
    place: RunPlace,
  ): Promise<ReadonlyMap<string, HeldQuarantine>>;
  /** The stable branch of which most was uploaded lately; null = there is none. */
  mainLine(repositoryId: number): Promise<string | null>;
  /** Numbers of tests of a repository that need not be made known again at a time. Not of all: a hint, at no cost. */
  seen(repositoryId: number, at: number): TestNumbers;
  /** Those of some ids that tests of a repository have. */
  known(repositoryId: number, ids: readonly string[]): Promise<ReadonlySet<string>>;
  /** Adds tests that are not known yet, in several short transactions, and returns the numbers of all. Can be repeated. */
  know(repositoryId: number, tests: Iterable<NamedTest>, at: number): Promise<TestNumbers>;
  /**
   * Keeps an upload with all that it holds, or nothing of it. Answers its id; that of the first, when it is kept already.
   *
   * @throws Error when a test of it is not known.
   */
  record(
    repositoryId: number,
    upload: NewTestUpload,
  ): Promise<{ readonly id: number; readonly isNew: boolean }>;
}
