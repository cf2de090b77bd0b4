import type { Decision } from "../../decision.ts";
import { discard, waitAgain } from "../../lifecycle/testing/run-end.ts";
import type { Entry, Exit } from "../../model/entry.ts";
import { runOf } from "../../model/queue.ts";
import type { Reason } from "../../reasons/reason.ts";
import { breakOff } from "./bisection.ts";

/** Ends an entry, or takes it out until it is ready again. Its batch, and every entry whose tests contain it, is requeued. */
export function entryLeaves(
  decision: Decision,
  entry: Entry,
  to: Exit,
  reason: Reason,
  othersBecause: Reason,
): void {
  if (entry.bisectionId !== null) breakOff(decision, entry.bisectionId, othersBecause);
  const run = runOf(decision.state, entry);
  decision.move(decision.entry(entry.pr), to, reason);
  if (run) {
    for (const pr of run.members) if (pr !== entry.pr) waitAgain(decision, pr, othersBecause);
    discard(decision, run, reason);
  }
  requeueFollowers(decision, entry.pr, othersBecause);
}

/** Takes an entry and its batch out of the line. Each waits again in its place in the order. */
export function requeue(decision: Decision, entry: Entry, reason: Reason): void {
  if (entry.bisectionId !== null) return breakOff(decision, entry.bisectionId, reason);
  const run = runOf(decision.state, entry);
  if (!run) return waitAgain(decision, entry.pr, reason);
  for (const pr of run.members) waitAgain(decision, pr, reason);
  discard(decision, run, reason);
}

/**
 * Requeues every entry whose tests contain this pull request. A run contains the transitive dependencies of its members, so
 * one pass over the line finds all of them.
 */
export function requeueFollowers(decision: Decision, pr: number, reason: Reason): void {
  for (const { entry: before, run } of decision.state.line.standings) {
    if (!run?.ahead.includes(pr)) continue;
    const entry = decision.state.entries.get(before.pr);
    // It may have been requeued with another member of its batch.
    if (entry && runOf(decision.state, entry)) requeue(decision, entry, reason);
  }
}

export function requeueAll(decision: Decision, reason: Reason): void {
  for (const pr of decision.state.line) requeue(decision, decision.entry(pr), reason);
}
