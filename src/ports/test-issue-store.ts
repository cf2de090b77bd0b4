import type { Claim } from "./outbox.ts";
import type { IssuesRefusal } from "./test-settings-store.ts";

/** An issue as the worker names it that has claimed it; as in `ClaimedRow`. */
export interface ClaimedIssue {
  /** Of the test, which need not be there any more. */
  readonly sk: number;
  readonly claim: string;
}

/** An issue that does not say what is known of its test. */
export interface DueIssue extends ClaimedIssue {
  readonly testId: string;
  readonly repositoryId: number;
  /** Null: none was opened, as far as is known. */
  readonly number: number | null;
  readonly isOpen: boolean;
  /** Since when one may have been opened that is not known of; null = nobody has tried. */
  readonly triedAt: number | null;
  /** How often it was claimed before. */
  readonly attempts: number;
}

/** An issue as it is now. */
export interface RecordedIssue {
  readonly number: number;
  readonly url: string;
  readonly isOpen: boolean;
  /** The change of status that it tells of. */
  readonly toldStatusAt: number;
}

/**
 * The issues of flaky tests. What is due follows from the statuses of tests and from what their issues tell, so that nothing can be
 * forgotten: a plan that was not carried out is made again.
 */
export interface TestIssueStore {
  /** Repositories where issues are to be opened. */
  repositories(): Promise<readonly number[]>;
  /**
   * Makes those issues of a repository due that tell of another status than the test has, or of one that is gone, and as many new ones, and ones
   * to open again, as may be opened in an hour, those of the tests first that have been unhealthy for longest. Repeatable.
   */
  plan(repositoryId: number, now: number, mostInAnHour: number): Promise<void>;
  /** Leases due ones, those that have been due for longest first. */
  claim(claim: Claim): Promise<readonly DueIssue[]>;
  nextDue(): Promise<number | null>;
  /** This and the following change nothing when the issue was settled, given back, or claimed by another. */
  renew(due: ClaimedIssue, leaseUntil: number): Promise<void>;
  /** Settles it. The issue is the test's ticket, if it has none. */
  record(due: ClaimedIssue, issue: RecordedIssue): Promise<void>;
  /** To be done again at a time. */
  postpone(due: ClaimedIssue, at: number, error: string): Promise<void>;
  /** Not to be done until the test's status changes again. */
  giveUp(due: ClaimedIssue, toldStatusAt: number, error: string): Promise<void>;
  /** There is no issue, and none is wanted. */
  drop(due: ClaimedIssue): Promise<void>;
  /** Nothing of the issue's repository is due until the next plan: that it was switched off, or refused. */
  halt(
    due: ClaimedIssue,
    refusal: { readonly code: IssuesRefusal; readonly message: string; readonly at: number } | null,
  ): Promise<void>;
}
