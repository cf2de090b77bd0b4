import type { Decision } from "../decision.ts";
import type { Entry, Exit } from "../model/entry.ts";
import type { Reason } from "../reasons/reason.ts";

/** Ends an entry, or takes it out until it is ready again, and requeues every entry whose tests contain it. */
export function leave(
  decision: Decision,
  entry: Entry,
  to: Exit,
  reason: Reason,
  othersBecause: Reason,
): void {
  decision.policy.entryLeaves(decision, entry, to, reason, othersBecause);
}

/** Requeues an entry: its tests do not count any more. */
export function sendBack(decision: Decision, entry: Entry, reason: Reason): void {
  decision.policy.requeue(decision, entry, reason);
}

/** Requeues the entries whose tests contain a pull request that was requeued. */
export function sendBackFollowers(decision: Decision, pr: number, reason: Reason): void {
  decision.policy.requeueFollowers(decision, pr, reason);
}

export function sendBackEverything(decision: Decision, reason: Reason): void {
  decision.policy.requeueAll(decision, reason);
}

/** Requeues an entry, and the entries whose tests contain it. */
export function testAgain(decision: Decision, pr: number, reason: Reason): void {
  sendBack(decision, decision.entry(pr), reason);
  sendBackFollowers(decision, pr, { code: "AHEAD_RESTARTED", pr });
}
