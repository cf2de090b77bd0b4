import type { Claim } from "../outbox.ts";
import type { IssuesRefusal } from "./test-settings-store.ts";

/** An issue under a worker's claim; as in `ClaimedRow`. */
export interface ClaimedIssue {
  /** The test's number. The test may no longer exist. */
  readonly sk: number;
  readonly claim: string;
}

/** An issue whose content differs from the current status of its test. */
export interface DueIssue extends ClaimedIssue {
  readonly testId: string;
  readonly repositoryId: number;
  /** Null when no issue is known to be open for the test. */
  readonly number: number | null;
  readonly isOpen: boolean;
  /**
   * Since when an unknown issue may exist because of an attempt to open one; null when there was no attempt.
   */
  readonly triedAt: number | null;
  /** How often it was claimed before. */
  readonly attempts: number;
}

/** The current state of an issue. */
export interface RecordedIssue {
  readonly number: number;
  readonly url: string;
  readonly isOpen: boolean;
  /** The time of the status change that the issue describes. */
  readonly toldStatusAt: number;
}

/**
 * The issues of flaky tests. Due issues are derived from the tests' statuses and from what their issues
 * describe, so none can be lost: a plan that was not carried out is made again.
 */
export interface TestIssueStore {
  /** Repositories for which issues are opened. */
  repositories(): Promise<readonly number[]>;
  /**
   * Makes issues of a repository due: those that describe another status than their test has, those whose
   * test is gone, and as many issues to open or reopen as the hourly maximum permits. Tests that have been
   * unhealthy the longest come first. Repeatable.
   */
  plan(repositoryId: number, now: number, mostInAnHour: number): Promise<void>;
  /** Leases due issues, those due the longest first. */
  claim(claim: Claim): Promise<readonly DueIssue[]>;
  nextDue(): Promise<number | null>;
  /**
   * This method and the following change nothing when the issue was settled, given back, or claimed by
   * another worker.
   */
  renew(due: ClaimedIssue, leaseUntil: number): Promise<void>;
  /** Settles the issue. It becomes the test's ticket if the test has none. */
  record(due: ClaimedIssue, issue: RecordedIssue): Promise<void>;
  /** Makes the issue due again at a time. */
  postpone(due: ClaimedIssue, at: number, error: string): Promise<void>;
  /** Makes the issue not due until the test's status changes again. */
  giveUp(due: ClaimedIssue, toldStatusAt: number, error: string): Promise<void>;
  /** Records that there is no issue and none is needed. */
  drop(due: ClaimedIssue): Promise<void>;
  /**
   * Cancels all due work on the repository's issues until the next plan, because issues are switched off or
   * refused.
   */
  halt(
    due: ClaimedIssue,
    refusal: { readonly code: IssuesRefusal; readonly message: string; readonly at: number } | null,
  ): Promise<void>;
}
