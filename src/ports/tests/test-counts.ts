import type { RepositoryRef } from "../../engine/model/queue.ts";
import type { TestStatus } from "../../flaky/detection/status.ts";

/** The numbers of tests of a repository. */
export interface RepositoryTestCounts {
  readonly repo: RepositoryRef;
  readonly byStatus: Readonly<Record<TestStatus, number>>;
  /** The tests whose failures are forgiven. */
  readonly quarantined: number;
  /** A flaky test is not quarantined because the budget is used up. */
  readonly isBudgetSpent: boolean;
  /** The repository wants issues for flaky tests, and the code host refuses to open them. */
  readonly areIssuesRefused: boolean;
}

export interface TestCounts {
  /**
   * The counts of each repository of an owner that has known tests, by name. The owner compares
   * case-insensitively.
   */
  ofOwner(owner: string, now: number): Promise<readonly RepositoryTestCounts[]>;
}
