import type { FlakyPlaces, TestHistory } from "../flaky/detection/history.ts";
import type { RunCount } from "../flaky/detection/recovery.ts";
import type { TestOutcome } from "../flaky/report/test-run.ts";
import type { MeterStep } from "./meter-store.ts";
import type { NamedTest, TestBranchKind } from "./test-result-store.ts";
import type { Announcement } from "./webhook-message.ts";

/** How a test went, by its number: numbers are given once, and stay. */
export interface NumberedResult {
  readonly sk: number;
  readonly first: TestOutcome;
  readonly last: TestOutcome;
  readonly flipped: boolean;
  readonly durationMs: number;
}

export interface StoredUpload {
  readonly id: number;
  readonly repositoryId: number;
  readonly at: number;
  readonly treeSha: string;
  readonly branch: string;
  /** The stable branch whose line it belongs to; "" = it is not known. */
  readonly line: string;
  readonly kind: TestBranchKind;
  readonly workflow: string;
  readonly pr: number | null;
  readonly job: string;
  readonly variant: string;
  readonly step: string;
  readonly runId: string;
  readonly runAttempt: number;
  readonly isSuspect: boolean;
  /** By ascending number; unpacked anew each time that it is gone through. @throws UnreadableEvidence */
  readonly results: Iterable<NumberedResult>;
}

/** Where tests run: a job, with its variant and the step of it. */
export type TestPlace = Pick<StoredUpload, "job" | "variant" | "step">;

/** A place of which one run sends several uploads with the same tests: legs of a matrix that do not say so. */
export interface SharedPlace extends TestPlace {
  readonly repositoryId: number;
  /** The most uploads of one run. */
  readonly uploads: number;
}

/** What is known of a test by now. */
export interface EvaluatedTest {
  readonly history: TestHistory;
  /** As the history says, by the repository's settings. */
  readonly places: FlakyPlaces;
}

/** A test that has another name since an upload. */
export interface TestRename {
  readonly repositoryId: number;
  /** The numbers of the test under its earlier name and its new name. */
  readonly from: number;
  readonly to: number;
  readonly uploadId: number;
  readonly at: number;
  /** No stable branch reports the earlier name any more. */
  readonly isRetired: boolean;
}

/** What renamed tests are found by. */
export interface TestRenameReads {
  /** The last green upload before one of a stable branch, of the same workflow, job, variant, step and line. Null: there is none. */
  greenBefore(upload: StoredUpload): Promise<StoredUpload | null>;
  /** Whether the run of an upload has sent others for the same place. */
  hasSiblings(upload: StoredUpload): Promise<boolean>;
  /**
   * Of each other place and line, the uploads of the newest run before an upload and since a time, on stable branches. Null: they are more
   * than `limit`.
   */
  newestElsewhere(
    upload: StoredUpload,
    since: number,
    limit: number,
  ): Promise<readonly StoredUpload[] | null>;
  /**
   * Those of some tests that are not new with an upload: they have an earlier name, or ran on a stable branch on another tree. Only
   * evaluated uploads count.
   */
  knownBefore(upload: StoredUpload, sks: readonly number[]): Promise<ReadonlySet<number>>;
}

/** What came of looking at uploads. */
export interface Evaluation {
  readonly uploads: readonly StoredUpload[];
  /** Those whose history has changed, by number. */
  readonly tests: ReadonlyMap<number, EvaluatedTest>;
  /** Found to be shared, or by more uploads than was known. */
  readonly sharedPlaces?: readonly SharedPlace[];
  /** Applied before `tests` are kept. Copies state to the new name, and clears an earlier name that is retired. */
  readonly renames?: readonly TestRename[];
  readonly at: number;
  /** Who is told of it, in the same transaction. */
  readonly announces?: readonly Announcement[];
}

/** What cannot be read of the evidence, since the database was damaged. */
export type DamagedEvidence =
  | { readonly kind: "upload"; readonly id: number }
  | { readonly kind: "history"; readonly sk: number }
  /** How often a block of tests ran and failed on a day. */
  | {
      readonly kind: "counts";
      readonly block: number;
      readonly day: number;
      readonly branch: TestBranchKind;
    };

/** Its name is `UnreadableEvidence`. Nothing can be evaluated with what it names, as often as it is tried. */
export interface UnreadableEvidence extends Error {
  readonly evidence: DamagedEvidence;
}

/** What detection reads, and what it finds. Where something of it cannot be read, an `UnreadableEvidence` is thrown. */
export interface TestEvaluationStore extends TestRenameReads {
  /** The oldest uploads that are not evaluated yet, in order of arrival: fewer when they are large, but at least one if there is one. */
  unevaluated(limit: number): Promise<readonly StoredUpload[]>;
  /** Up to `limit` uploads before one, of the same tree, workflow, job, variant and step, that are not suspect; the newest first. */
  beforeOnTree(upload: StoredUpload, limit: number): Promise<readonly StoredUpload[]>;
  /** Of all tests of a repository that something was ever held against, by number. */
  histories(repositoryId: number): Promise<ReadonlyMap<number, TestHistory>>;
  /** Of a repository. */
  sharedPlaces(repositoryId: number): Promise<readonly SharedPlace[]>;
  /** Of tests that failed in an upload, those that failed before and never with the message that they failed with now. */
  newMessages(upload: StoredUpload, sks: readonly number[]): Promise<ReadonlySet<number>>;
  /** Tests by number; without those that are not there. */
  named(sks: readonly number[]): Promise<ReadonlyMap<number, NamedTest & { readonly sk: number }>>;
  /** How often tests ran and failed since the day of a time, as far as it was evaluated. */
  countRuns(sks: readonly number[], since: number): Promise<ReadonlyMap<number, RunCount>>;
  /**
   * Counts the runs of the uploads and keeps the histories, or nothing of it: false when one of the uploads was evaluated
   * meanwhile, so that what was found is out of date.
   */
  settle(evaluation: Evaluation): Promise<boolean>;
  /**
   * Goes on without what cannot be read: an upload is no evidence any more, a test's history and a day's counts begin anew. False when
   * it was given up already, or can be read after all.
   *
   * @param steps counts it, for the organisation whose it is.
   */
  giveUp(
    evidence: DamagedEvidence,
    at: number,
    steps: (organisation: string) => readonly MeterStep[],
  ): Promise<boolean>;
  /** Forgets at most `limit` uploads and failed attempts older than a time, then counts and tests. Answers how many rows. */
  forget(before: number, limit: number): Promise<number>;
}
