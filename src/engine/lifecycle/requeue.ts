import type { Decision } from "../decision.ts";
import { type Entry, skipsTheLine } from "../model/entry.ts";
import type { Command } from "../model/input.ts";
import { isBeingMerged, isFrozen } from "../model/order/may-merge.ts";
import type { QueueState } from "../model/queue.ts";
import { sendBack, sendBackFollowers } from "./line.ts";
import { isMergeCalled, recallMerge } from "./merging/recall-merge.ts";

/** Ends the delays that are over or whose reason no longer applies. The entries wait in their place again. */
export function resumeDelayed(decision: Decision): void {
  if (decision.state.history.redSince === null) {
    for (const pr of decision.state.delayed.values())
      if (decision.entry(pr).reason.code === "NOTHING_PASSES") decision.record({ type: "entry_due", pr });
  }
  for (const pr of decision.state.delayed.values()) {
    const { retryAt } = decision.entry(pr);
    if (retryAt !== null && retryAt > decision.context.now) return;
    decision.record({ type: "entry_due", pr });
  }
}

/** Releases held entries when everything that they conflicted with is decided. They wait in their place again. */
export function releaseHeld(decision: Decision): void {
  if (decision.state.held.size === 0) return;
  for (const pr of decision.state.held.values()) {
    if (!isStillHeld(decision.state, decision.entry(pr))) decision.record({ type: "entry_released", pr });
  }
}

/** Tests an entry again, and every entry whose tests contain it. Each keeps its place in the order. */
export function restart(decision: Decision, command: Extract<Command, { type: "restart" }>): void {
  const entry = decision.state.entries.get(command.pr);
  if (!entry) return decision.refuse({ code: "NOT_QUEUED", pr: command.pr });
  if (isMergeCalled(decision.state, entry.pr)) {
    return decision.refuse({ code: "MERGE_ALREADY_ORDERED", pr: entry.pr });
  }
  if (!["testing", "tests_passed", "pending_failure"].includes(entry.state)) {
    return decision.refuse({ code: "NOT_TESTING", pr: entry.pr, state: entry.state });
  }
  if (isBeingMerged(decision.state, entry.pr)) recallMerge(decision);
  sendBack(decision, entry, { code: "RESTARTED", by: command.actor.name });
  sendBackFollowers(decision, entry.pr, { code: "AHEAD_RESTARTED", pr: entry.pr });
}

/** Whether an entry is still held. Entries that merge only after a freeze do not hold an urgent entry; they are requeued behind it. */
export function isStillHeld(state: QueueState, entry: Entry): boolean {
  return entry.heldBehind.some((pr) => {
    const other = state.entries.get(pr);
    return other !== undefined && !(skipsTheLine(entry) && isFrozen(state, other));
  });
}
