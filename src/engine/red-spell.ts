import type { Decision } from "./decision.ts";
import type { Entry } from "./entry.ts";
import { failureRate, medianOf } from "./history.ts";
import { sendBack, sendBackFollowers } from "./line.ts";
import type { QueueState } from "./queue.ts";
import type { Reason } from "./reason.ts";
import { usesBeliefs } from "./strategy.ts";

/** Rarer than this, pull requests that fail one after another are all at fault: the tests or the base are likelier broken. */
const leastChance = 0.005;
/** The same of test runs, where tests are ordered by beliefs. */
const leastChanceOfRuns = 0.001;
/** The assumption for a new queue: 2 of 10 runs fail. */
const expectedRed = { failed: 2, all: 10 };
/** In a small queue with few faults, two bad pull requests in a row are no outage. */
const fewest = 3;
/** For so long nobody is removed: two hours, or four tests if these take longer; where tests are short, for the time of sixty. */
const patience = { ms: 2 * 60 * 60_000, leastTests: 4, mostTests: 60 };
/** Tests begin again after half of the time that nothing has passed, within these bounds, and no sooner than a test takes. */
const retry = { leastMs: 5 * 60_000, mostMs: 15 * 60_000 };
/** The assumption for a new queue. */
const usualTestMs = 10 * 60_000;

/**
 * Whether an entry that failed on what it merges onto is kept, since whatever is tested fails. With the policy `fixed` none is; nor is one
 * that is tested once more and fails again after something has passed.
 * @param now in milliseconds since the epoch
 */
export function isRedSpell(state: QueueState, { pr, doubtedAt }: Entry, now: number): boolean {
  const { settings, history } = state;
  if (settings.policy === "fixed" || !isSuspicious(state, pr)) return false;
  if (doubtedAt !== undefined && !history.failing.includes(pr)) return false;
  const testMs = medianOf(history.testMs) ?? usualTestMs;
  const most = Math.min(Math.max(patience.ms, patience.leastTests * testMs), patience.mostTests * testMs);
  return history.redSince === null || now - history.redSince < most;
}

/** Whether it is no chance any more that so many failed, with nothing passing in between. */
function isSuspicious(state: QueueState, pr: number): boolean {
  const { history } = state;
  const { failing, redRuns, failed, passed } = history;
  const count = failing.includes(pr) ? failing.length : failing.length + 1;
  if (count < fewest || failureRate(history) ** count > leastChance) return false;
  if (!usesBeliefs(state)) return true;
  // Many tests are under way, and one that passes may convict several: so what counts is how many failed in a row.
  const earlier = Math.max(0, failed - redRuns);
  const redShare = (earlier + expectedRed.failed) / (earlier + passed + expectedRed.all);
  return redShare ** redRuns <= leastChanceOfRuns;
}

/** Tests an entry that failed again after a while; in a line alone, and behind those that were submitted before. */
export function waitForPass(decision: Decision, pr: number): void {
  const { failing, redSince, testMs } = decision.state.history;
  const { now } = decision.context;
  const half = redSince === null ? 0 : (now - redSince) / 2;
  const leastMs = Math.min(retry.leastMs, medianOf(testMs) ?? usualTestMs);
  const retryAt = now + Math.round(Math.min(Math.max(half, leastMs), retry.mostMs));
  const reason: Reason = { code: "NOTHING_PASSES", prs: [...failing.filter((other) => other !== pr), pr] };
  const isLine = !usesBeliefs(decision.state);
  if (isLine && decision.entry(pr).doubtedAt === undefined) decision.record({ type: "failure_doubted", pr });
  sendBack(decision, decision.entry(pr), reason);
  sendBackFollowers(decision, pr, { code: "AHEAD_RESTARTED", pr });
  decision.record({ type: "entry_delayed", pr, retryAt, attempts: decision.entry(pr).attempts, reason });
}
