import type { Decision } from "../../decision.ts";
import { type History, isUnlikelySeries, usualTestMs } from "../../model/capacity/history.ts";
import type { QueueState } from "../../model/queue.ts";
import type { Reason } from "../../reasons/reason.ts";
import { sendBack, sendBackFollowers } from "../requeue.ts";

/** How long failures are not believed: two hours or four tests, whichever is longer. */
const patience = { ms: 2 * 60 * 60_000, tests: 4 };
/**
 * A retest is delayed by the time without a pass so far, but at least by the time of four tests (which counts as one to five minutes),
 * and at most by `mostMs`.
 */
const retry = { tests: 4, leastMs: [60_000, 5 * 60_000], mostMs: 15 * 60_000 } as const;
/** The maximum number of other failed entries that a reason names. */
const mostNamed = 7;

/**
 * Whether a failed entry stays in the queue because everything fails. Never with the policy `fixed`.
 * @param now in milliseconds since the epoch
 */
export function isRedSpell(state: QueueState, pr: number, now: number): boolean {
  const { settings, history } = state;
  if (settings.policy === "fixed" || !isSuspicious(state, pr)) return false;
  const most = Math.max(patience.ms, patience.tests * usualTestMs(history));
  return history.redSince === null || now - history.redSince < most;
}

/** Whether the failures since the last pass are too many, or the base itself fails. */
function isSuspicious({ history }: QueueState, pr: number): boolean {
  if (history.baseFinding?.verdict === "failed") return true;
  const { failing } = history;
  return isUnlikelySeries(history, failing.includes(pr) ? failing.length : failing.length + 1);
}

/** Returns when something is tested again while nothing passes. Times are in milliseconds since the epoch. */
export function retryTime(history: History, now: number): number {
  const soFarMs = history.redSince === null ? 0 : now - history.redSince;
  const [shortest, longest] = retry.leastMs;
  const leastMs = Math.min(Math.max(retry.tests * usualTestMs(history), shortest), longest);
  return now + Math.round(Math.min(Math.max(soFarMs, leastMs), retry.mostMs));
}

/**
 * Schedules another test of a failed entry.
 * @param alone whether it is tested alone and behind the others
 */
export function waitForPass(decision: Decision, pr: number, alone: boolean): void {
  const { history } = decision.state;
  const { failing, baseFinding } = history;
  const { now } = decision.context;
  const retryAt = retryTime(history, now);
  const reason: Reason = {
    code: "NOTHING_PASSES",
    prs: [...failing.filter((other) => other !== pr).slice(-mostNamed), pr],
    ...(baseFinding?.verdict === "failed" ? { base: baseFinding.sha } : {}),
  };
  if (alone && decision.entry(pr).doubted === undefined) decision.record({ type: "failure_doubted", pr });
  sendBack(decision, decision.entry(pr), reason);
  sendBackFollowers(decision, pr, { code: "AHEAD_RESTARTED", pr });
  decision.record({ type: "entry_delayed", pr, retryAt, attempts: decision.entry(pr).attempts, reason });
}
