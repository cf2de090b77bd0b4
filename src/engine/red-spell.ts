import type { Decision } from "./decision.ts";
import { failureRate, type History, medianOf } from "./history.ts";
import type { QueueState } from "./queue.ts";
import type { Reason } from "./reason.ts";
import { abandon } from "./retry.ts";
import type { TestRun } from "./test-run.ts";

/** Rarer than this, pull requests that fail one after another are all at fault: the tests or the base are likelier broken. */
const leastChance = 0.005;
/** For so long nobody is removed; with long tests, for the time of so many. */
const longestMs = 2 * 60 * 60_000;
const longestTests = 4;
/** Tests begin again after half of the time that nothing has passed, within these bounds. */
const leastRetryMs = 5 * 60_000;
const mostRetryMs = 15 * 60_000;

/**
 * Whether a pull request that failed on what it merges onto is kept, since whatever is tested fails. With the policy `fixed` nobody is.
 * @param now in milliseconds since the epoch
 */
export function isRedSpell({ settings, history }: QueueState, pr: number, now: number): boolean {
  if (settings.policy === "fixed" || countFailing(history, pr) < suspicious(history)) return false;
  const patience = Math.max(longestMs, longestTests * (medianOf(history.testMs) ?? 0));
  return history.redSince === null || now - history.redSince < patience;
}

/** How many fail on what they merge onto, with nothing passing in between, until that is no chance. */
function suspicious(history: History): number {
  return Math.ceil(Math.log(leastChance) / Math.log(failureRate(history)));
}

function countFailing({ failing }: History, pr: number): number {
  return failing.includes(pr) ? failing.length : failing.length + 1;
}

/** Tests the entry that failed again after a while, alone and behind those that were submitted before. */
export function waitForPass(decision: Decision, run: TestRun): void {
  const { failing, redSince } = decision.state.history;
  const { now } = decision.context;
  const half = redSince === null ? 0 : (now - redSince) / 2;
  const retryAt = now + Math.min(Math.max(half, leastRetryMs), mostRetryMs);
  for (const pr of run.members) {
    const reason: Reason = { code: "NOTHING_PASSES", prs: [...failing.filter((other) => other !== pr), pr] };
    if (decision.entry(pr).doubtedAt === undefined) decision.record({ type: "failure_doubted", pr });
    abandon(decision, run, reason, "AHEAD_RESTARTED");
    const { attempts } = decision.entry(pr);
    decision.record({ type: "entry_delayed", pr, retryAt, attempts, reason });
  }
}
