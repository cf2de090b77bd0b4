import type { Announcement } from "../../../ports/webhooks/webhook-message.ts";
import type { FlakyPlaces, TestHistory } from "../../detection/history.ts";
import type { TestOutcome } from "../../report/test-execution.ts";
import type { TestBranchKind } from "../uploads/test-result-rows.ts";

/** The result of a test, by its number. A test's number never changes. */
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
  /** The stable branch whose line the upload belongs to; "" when unknown. */
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
  /** By ascending number. Each iteration unpacks them again. @throws UnreadableEvidence */
  readonly results: Iterable<NumberedResult>;
}

/** Where tests run: a job, its variant and its step. */
export type TestPlace = Pick<StoredUpload, "job" | "variant" | "step">;

/**
 * A place for which one run sends several uploads with the same tests, such as matrix legs that do not name
 * their variant.
 */
export interface SharedPlace extends TestPlace {
  readonly repositoryId: number;
  /** The largest number of uploads of one run. */
  readonly uploads: number;
}

/** The current evaluation of a test. */
export interface EvaluatedTest {
  readonly history: TestHistory;
  /** The places where it is flaky, derived from the history by the repository's settings. */
  readonly places: FlakyPlaces;
}

/** A test that was renamed in an upload. */
export interface TestRename {
  readonly repositoryId: number;
  /** The test's numbers under its earlier name and under its new name. */
  readonly from: number;
  readonly to: number;
  readonly uploadId: number;
  readonly at: number;
  /** No stable branch reports the earlier name any more. */
  readonly isRetired: boolean;
}

/** The queries that find renamed tests. */
export interface TestRenameReads {
  /**
   * The last green upload of a stable branch before this one, of the same workflow, job, variant, step and
   * line. Null when there is none.
   */
  greenBefore(upload: StoredUpload): Promise<StoredUpload | null>;
  /** Whether the upload's run has sent other uploads for the same place. */
  hasSiblings(upload: StoredUpload): Promise<boolean>;
  /**
   * For each other place and line, the stable-branch uploads of the newest run before this upload and since a
   * time. Null when there are more than `limit`.
   */
  newestElsewhere(
    upload: StoredUpload,
    since: number,
    limit: number,
  ): Promise<readonly StoredUpload[] | null>;
  /**
   * Returns the tests that are not new in an upload: they have an earlier name, or ran on a stable branch on
   * another tree. Only evaluated uploads count.
   */
  knownBefore(upload: StoredUpload, sks: readonly number[]): Promise<ReadonlySet<number>>;
}

/** The result of evaluating uploads. */
export interface Evaluation {
  readonly uploads: readonly StoredUpload[];
  /** The tests whose history has changed, by number. */
  readonly tests: ReadonlyMap<number, EvaluatedTest>;
  /** Places newly found to be shared, or shared by more uploads than known before. */
  readonly sharedPlaces?: readonly SharedPlace[];
  /**
   * Applied before `tests` are stored. Copies state to the new name, and clears an earlier name that is
   * retired.
   */
  readonly renames?: readonly TestRename[];
  readonly at: number;
  /** The events to publish, in the same transaction. */
  readonly announces?: readonly Announcement[];
}

/** A piece of evidence that cannot be read because the database is damaged. */
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

/**
 * Its name is `UnreadableEvidence`. Evaluation that needs the named evidence fails however often it is
 * retried.
 */
export interface UnreadableEvidence extends Error {
  readonly evidence: DamagedEvidence;
}
