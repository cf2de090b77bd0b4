import { type History, mostFailing, type TestEnds } from "../model/capacity/history.ts";
import { type CheckFact, isPassing } from "../model/checks/required-checks.ts";
import { currentChecks } from "../model/checks/run-checks.ts";
import type { Event, EventOf } from "../model/event.ts";
import type { QueueState } from "../model/queue.ts";
import type { TestRun } from "../model/test-run.ts";
import type { Reason } from "../reasons/reason.ts";
import { withEntry } from "./entry-index.ts";

export function noteFailing(state: QueueState, pr: number): QueueState {
  const others = state.history.failing.filter((other) => other !== pr);
  return remember(state, { failing: [...others, pr].slice(-mostFailing) });
}

export function learnFromDelay(
  after: QueueState,
  { at }: Event,
  { pr, reason }: EventOf<"entry_delayed">,
): QueueState {
  if (reason.code !== "NOTHING_PASSES") return after;
  return remember(noteFailing(after, pr), { redSince: after.history.redSince ?? at });
}

export function countVerdict(state: QueueState, { at }: Event, data: EventOf<"run_concluded">): QueueState {
  const { history, runs } = state;
  const run = runs.get(data.vouchedBy ?? data.runId);
  const endedAt = run ? endOfTest(run, data, at) : null;
  if (data.verdict === "passed") return endSpell(state, endedAt);
  return remember(state, { redRuns: history.redRuns + 1, ...withFailure(history, endedAt) });
}

/**
 * Ends a series of failures, because a test passed.
 *
 * @param passedAt when it ended; null = not known, as if it had ended now
 */
export function endSpell(state: QueueState, passedAt: number | null = null): QueueState {
  const { passes, baseFinding } = state.history;
  if (isOutdatedPass(state.history, passedAt)) return state;
  return remember(baseFinding?.verdict === "failed" ? forgiveFailures(state) : state, {
    ...withPass(state.history, passedAt),
    passes: passes + 1,
    failing: [],
    redRuns: 0,
    redSince: null,
    baseFinding: null,
  });
}

/**
 * Failures while the base itself failed say nothing about the pull requests. Those that are in test again keep their failure until the test
 * ends, because others are tested without them.
 */
function forgiveFailures(state: QueueState): QueueState {
  let next = state;
  for (const pr of state.history.failing) {
    const entry = next.entries.get(pr);
    if (!entry?.doubted) continue;
    const { doubted, doubts = 1, ...rest } = entry;
    const isInTest = entry.state !== "pending" || entry.runId !== null;
    const kept = isInTest ? { doubted: { ...doubted, forgiven: true as const } } : {};
    next = withEntry(next, { ...rest, ...kept, doubts: doubts - 1 });
    next = remember(next, { rejected: Math.max(0, next.history.rejected - 1) });
  }
  return next;
}

export function learnFromBaseTest(
  before: QueueState,
  state: QueueState,
  { at }: Event,
  { verdict, reason, baseSha: sha, retryAt }: EventOf<"base_test_ended">,
): QueueState {
  switch (verdict) {
    case "passed": {
      const { baseTest } = before;
      const passedAt = baseTest && endOfTest(baseTest, { verdict, reason }, at);
      return endSpell(remember(state, { uselessBaseTests: 0 }), passedAt);
    }
    case "failed":
      return remember(state, {
        baseFinding: { verdict, sha, retryAt },
        redSince: state.history.redSince ?? at,
      });
    case "unknown":
      return remember(state, {
        baseFinding: { verdict, sha, retryAt },
        uselessBaseTests: state.history.uselessBaseTests + 1,
      });
    case "stopped":
      return state;
  }
}

export function testBaseAgain(state: QueueState): QueueState {
  return state.history.uselessBaseTests === 0 ? state : remember(state, { uselessBaseTests: 0 });
}

export function remember(state: QueueState, changes: Partial<History>): QueueState {
  return { ...state, history: { ...state.history, ...changes } };
}

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
 * Returns when a test ended, by the code host's clock; null = not known. The verdict may be read much later, if the code host could not be
 * reached. A time before the test began, or after `at`, is wrong: the nearest possible time counts, with an allowance for clocks that
 * differ.
 */
export function endOfTest(run: TestRun, { verdict, reason }: Verdict, at: number): number | null {
  const decisive = (check: CheckFact) =>
    verdict === "passed" ? isRequired(run, check) : hasFailed(reason, check);
  const ends = currentChecks(run, run.checks).filter(decisive);
  const last = Math.max(...ends.flatMap(({ completedAt }) => completedAt ?? []));
  if (!Number.isFinite(last)) return null;
  // Other Apps set the end of their checks themselves, so it may be wrong.
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

/** The number of passes before a failure. A pass that ended after the failure does not count, even if it was read before. */
export function passesBeforeFailure({ passes, testEnds = none }: History, failedAt: number | null): number {
  if (failedAt === null) return passes;
  return passes - testEnds.passes.filter((passedAt) => passedAt >= failedAt).length;
}

/** Whether a pass that is only read now ended before a failure that is already known. Such a pass says nothing about the failure. */
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
