import type { Decision } from "../../decision.ts";
import { failureRate, mostFailing, usualTestMs } from "../../model/capacity/history.ts";
import type { Entry } from "../../model/entry.ts";
import type { QueueState } from "../../model/queue.ts";
import type { Reason } from "../../reasons/reason.ts";
import { sendBack, sendBackFollowers } from "../line.ts";

/** If a row of failures is less likely than this, the tests or the base are probably broken. */
const leastChance = 0.005;
/** The same for a row of failed test runs. */
const leastChanceOfRuns = 0.001;
/** The assumption for a new queue: 2 of 10 runs fail. */
const expectedRed = { failed: 2, all: 10 };
/** Two bad pull requests in a row are not an outage, however rare faults are. */
const fewest = 3;
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
 * Whether an entry that failed on what it merges onto stays in the queue because everything fails. Never with the policy `fixed`, and not
 * if something has passed between its first and its second failure.
 * @param now in milliseconds since the epoch
 */
export function isRedSpell(state: QueueState, { pr, doubted }: Entry, now: number): boolean {
  const { settings, history } = state;
  if (settings.policy === "fixed" || !isSuspicious(state, pr)) return false;
  // If the list is full, so many have failed in a row that the first ones are no longer on it.
  const isListed = history.failing.includes(pr) || history.failing.length === mostFailing;
  if (doubted !== undefined && !isListed) return false;
  const most = Math.max(patience.ms, patience.tests * usualTestMs(history));
  return history.redSince === null || now - history.redSince < most;
}

/** Whether this number of failures in a row, without a pass, is too unlikely for independent faults. */
function isSuspicious(state: QueueState, pr: number): boolean {
  const { merged, rejected, failing } = state.history;
  const count = failing.includes(pr) ? failing.length : failing.length + 1;
  // What fails now says nothing about how often entries failed before.
  const usual = failureRate({ merged, rejected: Math.max(0, rejected - failing.length) });
  return count >= fewest && usual ** count <= leastChance;
}

/** Whether the number of failed test runs in a row is so high that the tests or the base are probably broken. */
export function isSpellOfRuns({ history: { redRuns, failed, passed } }: QueueState): boolean {
  const earlier = Math.max(0, failed - redRuns);
  const redShare = (earlier + expectedRed.failed) / (earlier + passed + expectedRed.all);
  return redShare ** redRuns <= leastChanceOfRuns;
}

/**
 * Schedules another test of a failed entry.
 * @param alone whether it is tested alone and behind the others
 */
export function waitForPass(decision: Decision, pr: number, alone: boolean): void {
  const { history } = decision.state;
  const { failing, redSince } = history;
  const { now } = decision.context;
  const soFarMs = redSince === null ? 0 : now - redSince;
  const [shortest, longest] = retry.leastMs;
  const leastMs = Math.min(Math.max(retry.tests * usualTestMs(history), shortest), longest);
  const retryAt = now + Math.round(Math.min(Math.max(soFarMs, leastMs), retry.mostMs));
  const reason: Reason = {
    code: "NOTHING_PASSES",
    prs: [...failing.filter((other) => other !== pr).slice(-mostNamed), pr],
  };
  if (alone && decision.entry(pr).doubted === undefined) decision.record({ type: "failure_doubted", pr });
  sendBack(decision, decision.entry(pr), reason);
  sendBackFollowers(decision, pr, { code: "AHEAD_RESTARTED", pr });
  decision.record({ type: "entry_delayed", pr, retryAt, attempts: decision.entry(pr).attempts, reason });
}
