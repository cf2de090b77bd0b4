import type { TestRun } from "../model/test-run.ts";

/** A test that tells which of some pull requests is at fault. */
export interface SearchTest {
  /** The pull requests in question that it contains, in the order in which they merge. */
  readonly prs: readonly number[];
  readonly outcome: "failed" | "passed" | "under_way";
  /** Null = the run is not kept any more. */
  readonly runId: string | null;
  /** Null = not known any more. In milliseconds since the epoch. */
  readonly startedAt: number | null;
  readonly failedChecks: readonly string[];
}

export interface Suspect {
  readonly pr: number;
  /** The probability that it is at fault, 0 to 1; null = the policy estimates none. */
  readonly chance: number | null;
}

/** The search for the pull request that made tests fail. */
export interface CulpritSearch {
  /** The pull requests in question, in the order in which they merge. */
  readonly prs: readonly number[];
  /** Those of them that may still be at fault. */
  readonly suspects: readonly Suspect[];
  /** The evidence so far and the tests under way: larger groups first. */
  readonly tests: readonly SearchTest[];
  /** Milliseconds since the epoch. */
  readonly since: number;
}

/** The result of a run for the pull requests in question. */
export function searchTest(run: TestRun, prs: readonly number[]): SearchTest {
  const { id, state, startedAt, failure } = run;
  const outcome = state === "passed" || state === "failed" ? state : "under_way";
  const failedChecks = failure?.code === "CHECKS_FAILED" ? failure.checks.map(({ name }) => name) : [];
  return { prs, outcome, runId: id, startedAt, failedChecks };
}
