import { type History, isUnlikelyRowOfRuns, isUnlikelySeries } from "./capacity/history.ts";
import type { LineEntry } from "./order/line.ts";
import { type QueueState, startsTests } from "./queue.ts";

/** After this number of base tests in a row that helped nobody, the base is not tested any more until somebody changes the queue. */
const mostUseless = 3;

/** Whether the base may be tested, and its test may tell something new. */
export function mayTestBase(state: QueueState): boolean {
  return startsTests(state.status) && isBaseInQuestion(state);
}

function isBaseInQuestion({ settings, history, base }: QueueState): boolean {
  const { baseFinding, uselessBaseTests } = history;
  return (
    settings.policy !== "fixed" && baseFinding === null && uselessBaseTests < mostUseless && base.length > 0
  );
}

/** Whether failed entries are not judged before the base has been tested. Also in a paused queue: people pause it because of an outage. */
export function judgesAfterBase(state: QueueState): boolean {
  return !drains(state) && isBaseInQuestion(state);
}

/**
 * Whether failed entries cannot be judged, because the base would have to be tested first and the queue starts no tests. It must become
 * empty, so they wait outside the line, and are tested again afterwards.
 */
export function cannotJudgeFailures(state: QueueState): boolean {
  return drains(state) && isBaseInQuestion(state);
}

function drains({ status }: QueueState): boolean {
  return status === "draining" || status === "switching_modes";
}

/** Whether an entry that failed is not judged before the base has been tested. */
export function isJudgedAfterBase(state: QueueState, pr: number): boolean {
  return state.history.failing.includes(pr) && judgesAfterBase(state);
}

/** The pull request for which the base is tested next; null = none is in question. */
export function entryAwaitingBaseTest(state: QueueState): number | null {
  const { history, entries, line } = state;
  if (history.redRuns === 0) return null;
  const waits = ({ entry }: LineEntry) =>
    entry.state === "pending_failure" && history.failing.includes(entry.pr);
  const first = line.entries.find(waits)?.entry.pr;
  return first ?? history.failing.find((pr) => isQueued(entries.get(pr)?.state)) ?? null;
}

function isQueued(state: string | undefined): boolean {
  return state !== undefined && state !== "not_ready";
}

/** Whether so much has failed that a test of the base needs a slot at once, or has it. */
export function isBaseTestUrgent(state: QueueState): boolean {
  if (!isSeries(state.history)) return false;
  return state.baseTest !== null || (mayTestBase(state) && entryAwaitingBaseTest(state) !== null);
}

function isSeries(history: History): boolean {
  if (history.redSince !== null || isUnlikelyRowOfRuns(history)) return true;
  return isUnlikelySeries(history, history.failing.length);
}
