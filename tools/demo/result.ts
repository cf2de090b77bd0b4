import type { FlakeCounts } from "./judge-flakes.ts";

/** What `--json` prints. */
export interface DemoResult {
  readonly prs: number;
  readonly merged: number;
  readonly failed: number;
  readonly cancelled: number;
  /** REST calls of the service in all. */
  readonly restCalls: number;
  /** All of them, also those about pull requests that did not merge, for each one that did. */
  readonly restCallsPerMerged: number;
  /** Requests that write what people see on GitHub (comments, reactions, checks, merges by the API), for each merged pull request. */
  readonly contentRequestsPerMerged: number;
  readonly writingRequestsPerMerged: number;
  readonly graphqlCalls: number;
  readonly baseCommitsChecked: number;
  readonly baseCommitsRed: number;
  /** Merged pull requests whose tree on the base is one that passed on a test branch. */
  readonly treeProofs: number;
  /** Failures of tests in the queue that are known to be flaky. */
  readonly flakes: FlakeCounts;
  /** Faults that were injected into the service's calls, by kind. */
  readonly faults: Readonly<Record<string, number>>;
  readonly seconds: number;
  /** What did not end as its truth demands; empty when all is well. */
  readonly violations: readonly string[];
}
