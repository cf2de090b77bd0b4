import type { FlakeCounts } from "../judge/judge-flakes.ts";

/** The result that `--json` prints. */
export interface DemoResult {
  readonly prs: number;
  readonly merged: number;
  readonly failed: number;
  readonly cancelled: number;
  /** All REST calls of the service. */
  readonly restCalls: number;
  /** All REST calls, including those about pull requests that did not merge, divided by the number that merged. */
  readonly restCallsPerMerged: number;
  /**
   * Requests that create content on GitHub that people see (comments, reactions, checks, merges by the API), for each merged pull
   * request.
   */
  readonly contentRequestsPerMerged: number;
  readonly writingRequestsPerMerged: number;
  readonly graphqlCalls: number;
  readonly baseCommitsChecked: number;
  readonly baseCommitsRed: number;
  /** Merged pull requests whose tree on the base passed CI on a test branch. */
  readonly treeProofs: number;
  /** Failures in the queue of tests that are known to be flaky. */
  readonly flakes: FlakeCounts;
  /** Faults that were injected into the service's calls, by kind. */
  readonly faults: Readonly<Record<string, number>>;
  readonly seconds: number;
  /** Outcomes that differ from the truth; empty when all is well. */
  readonly violations: readonly string[];
}
