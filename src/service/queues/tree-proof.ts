import { evaluateChecks, factsFor } from "../../engine/model/checks/required-checks.ts";
import { currentChecks } from "../../engine/model/checks/run-checks.ts";
import type { Entry } from "../../engine/model/entry.ts";
import { type TestRun, testedSha } from "../../engine/model/test-run.ts";
import type { RunRecord } from "../../ports/run-record.ts";

/** Why a tree counts as tested, or does not. Only with the first two reasons it does. */
export type ProofReason =
  /** The last run that tested it passed. */
  | "PASSED"
  /** The last run that tested it passed, but some failures did not count: of quarantined tests, or before failed checks were re-run. */
  | "PASSED_DESPITE_FLAKY_TESTS"
  /** No run of the queue tested it, as far as the history is kept. */
  | "NOT_TESTED"
  /** It is being tested. */
  | "NOT_FINISHED"
  /** The last run that tested it failed. */
  | "FAILED"
  /** Every test of it was cancelled. */
  | "CANCELLED"
  /** A run counts as passed, but not all its required checks passed on this tree: another run vouched for it, or they were skipped. */
  | "NOT_EVERY_CHECK_PASSED"
  /** Too many runs tested it to compare them. */
  | "TOO_MANY_RUNS"
  /** The code host does not show such a commit to the service. */
  | "COMMIT_NOT_FOUND"
  /** The code host did not tell the tree of the commit in time. */
  | "CODE_HOST_DID_NOT_ANSWER";

export const proofReasons = [
  "PASSED",
  "PASSED_DESPITE_FLAKY_TESTS",
  "NOT_TESTED",
  "NOT_FINISHED",
  "FAILED",
  "CANCELLED",
  "NOT_EVERY_CHECK_PASSED",
  "TOO_MANY_RUNS",
  "COMMIT_NOT_FOUND",
  "CODE_HOST_DID_NOT_ANSWER",
] as const satisfies readonly ProofReason[];

/** A required check that passed on the tested commit. */
export interface PassedCheck {
  readonly name: string;
  /** `success`; `skipped` or `neutral` if CI decided that there is nothing to test. */
  readonly conclusion: string;
  readonly url: string | null;
}

/** A run that tested a tree, and the current state of its pull requests. */
export interface TestOfTree {
  readonly record: RunRecord;
  /** The current entries of its pull requests. */
  readonly entries: readonly Entry[];
}

export interface TreeVerdict {
  readonly reason: ProofReason;
  /** The run that decides; null when none does. */
  readonly test: TestOfTree | null;
  /** The required checks that passed in it; [] unless the tree counts as tested. */
  readonly checks: readonly PassedCheck[];
}

/** Whether a verdict says that the tree was tested and passed. */
export function isProved(reason: ProofReason): boolean {
  return reason === "PASSED" || reason === "PASSED_DESPITE_FLAKY_TESTS";
}

/**
 * Judges a tree by the runs that tested exactly it. The last decided run counts, because a later failure of the same tree may be real. The
 * verdict of the engine is not enough: some runs count as passed although not all of their own checks passed.
 */
export function judgeTree(tests: readonly TestOfTree[]): TreeVerdict {
  const decided = tests.flatMap((test) => {
    const checks = passedChecks(test);
    return checks !== null || test.record.status === "failed" ? [{ test, checks }] : [];
  });
  // If two runs ended in the same millisecond, the failed one counts.
  const last = decided
    .toSorted(
      (a, b) => endOf(a.test) - endOf(b.test) || Number(a.checks === null) - Number(b.checks === null),
    )
    .at(-1);
  if (last?.checks) {
    const { forgiven, retried } = last.test.record.run;
    return {
      reason: forgiven || retried ? "PASSED_DESPITE_FLAKY_TESTS" : "PASSED",
      ...last,
      checks: last.checks,
    };
  }
  if (last) return { reason: "FAILED", test: last.test, checks: [] };
  const other = (["succeeded", "in_progress", "cancelled"] as const).flatMap((status) => {
    const test = tests.find(({ record }) => record.status === status);
    return test ? [{ reason: undecided[status], test, checks: [] }] : [];
  });
  return other[0] ?? { reason: "NOT_TESTED", test: null, checks: [] };
}

const undecided = {
  succeeded: "NOT_EVERY_CHECK_PASSED",
  in_progress: "NOT_FINISHED",
  cancelled: "CANCELLED",
} as const;

function endOf({ record }: TestOfTree): number {
  return record.endedAt ?? record.run.startedAt;
}

/** The required checks of a run that passed on its commit; null unless the run's own checks prove that the tree passes. */
function passedChecks({ record, entries }: TestOfTree): readonly PassedCheck[] | null {
  const { run, status } = record;
  if (status !== "succeeded" || run.vouchedBy !== null || testedSha(run) === null) return null;
  const facts = currentChecks(run, run.checks);
  const { failed, pending, missing } = evaluateChecks(run.required, facts);
  if (failed.length > 0 || pending.length > 0) return null;
  if (!missing.every((name) => wasAcceptedFromHeads(name, record, entries))) return null;
  const checks = run.required.flatMap((check) => {
    const counted = factsFor(check, facts);
    const shown = counted.find(({ conclusion }) => conclusion !== "success") ?? counted[0];
    return shown ? [{ name: check.name, conclusion: shown.conclusion ?? "", url: shown.url }] : [];
  });
  return checks.some(({ conclusion }) => conclusion === "success") ? checks : null;
}

/** Whether a check that did not report on the test branch had passed on the head of each pull request that the run decided about. */
function wasAcceptedFromHeads(name: string, { pullRequests }: RunRecord, entries: readonly Entry[]): boolean {
  return (
    pullRequests.length > 0 &&
    pullRequests.every(({ pr, headSha }) => {
      const entry = entries.find((one) => one.pr === pr && one.headSha === headSha);
      return entry?.readiness.acceptedFromHead?.includes(name) ?? false;
    })
  );
}

/** The pull request that merged as a commit, or else the last one that the run decided about; null for a test of the base alone. */
export function pullRequestOf({ record, entries }: TestOfTree, sha: string): number | null {
  const merged = entries.find(({ reason }) => reason.code === "MERGED_IN_ORDER" && reason.sha === sha);
  return merged?.pr ?? record.pullRequests.at(-1)?.pr ?? null;
}

export function flakyTestsIn({ forgiven = [], retried }: TestRun): readonly string[] {
  return [...new Set([...forgiven, ...(retried?.tests ?? []), ...(retried?.newTests ?? [])])];
}
