import type { History, TestEnds } from "../model/capacity/history.ts";
import { type CheckFact, isPassing } from "../model/checks/required-checks.ts";
import { currentChecks } from "../model/checks/run-checks.ts";
import type { TestRun } from "../model/test-run.ts";
import type { Reason } from "../reasons/reason.ts";

/** The number of passes whose ends are kept. */
const mostPasses = 100;

/** By how much the code host's clock may differ from ours, in milliseconds. */
const clockErrorMs = 5 * 60_000;

const none: TestEnds = { passes: [], failure: null };

export interface Verdict {
  readonly verdict: "passed" | "failed";
  readonly reason: Reason;
}

/**
 * Returns when a test ended, by the code host's clock; null = not known. It may have been read much later, while the code host could not be
 * reached. A time before the test began, or after `at`, is wrong: the nearest possible time counts, with an allowance for clocks that differ.
 */
export function endOfTest(run: TestRun, { verdict, reason }: Verdict, at: number): number | null {
  const decisive = (check: CheckFact) =>
    verdict === "passed" ? isRequired(run, check) : hasFailed(reason, check);
  const ends = currentChecks(run, run.checks).filter(decisive);
  const last = Math.max(...ends.flatMap(({ completedAt }) => completedAt ?? []));
  if (!Number.isFinite(last)) return null;
  // Other Apps write the time themselves.
  const earliest = (run.builtAt ?? at) - clockErrorMs;
  return Math.min(at + clockErrorMs, Math.max(earliest, last));
}

function isRequired({ required }: TestRun, { name }: CheckFact): boolean {
  return required.some((check) => check.name === name);
}

function hasFailed(reason: Reason, check: CheckFact): boolean {
  return (
    reason.code === "CHECKS_FAILED" &&
    reason.checks.some(({ name }) => name === check.name) &&
    !isPassing(check)
  );
}

/** The number of passes before a failure. A pass that was read before it, but ended after it, is none of them. */
export function passesBeforeFailure({ passes, testEnds = none }: History, failedAt: number | null): number {
  if (failedAt === null) return passes;
  return passes - testEnds.passes.filter((passedAt) => passedAt >= failedAt).length;
}

/** Whether a pass that is only read now ended before a failure that is known already, so that it proves nothing about it. */
export function isOutdatedPass({ testEnds = none }: History, passedAt: number | null): boolean {
  return passedAt !== null && testEnds.failure !== null && passedAt <= testEnds.failure;
}

export function withPass({ testEnds = none }: History, passedAt: number | null): Partial<History> {
  if (passedAt === null) return {};
  return { testEnds: { ...testEnds, passes: [...testEnds.passes, passedAt].slice(-mostPasses) } };
}

export function withFailure({ testEnds = none }: History, failedAt: number | null): Partial<History> {
  if (failedAt === null) return {};
  return { testEnds: { ...testEnds, failure: Math.max(failedAt, testEnds.failure ?? failedAt) } };
}
