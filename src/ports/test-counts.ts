import type { RepositoryRef } from "../engine/model/queue.ts";
import type { TestStatus } from "../flaky/detection/status.ts";

/** The tests of a repository, counted. */
export interface RepositoryTestCounts {
  readonly repo: RepositoryRef;
  readonly byStatus: Readonly<Record<TestStatus, number>>;
  /** Those whose failures are forgiven. */
  readonly quarantined: number;
  /** A flaky test is not quarantined, since too many are. */
  readonly isBudgetSpent: boolean;
  /** Issues are to be opened for flaky tests, and the code host refuses it. */
  readonly areIssuesRefused: boolean;
}

export interface TestCounts {
  /** Of each repository of an owner, in any case, whose tests are known; by name. */
  ofOwner(owner: string, now: number): Promise<readonly RepositoryTestCounts[]>;
}
