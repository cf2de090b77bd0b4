import { breakOff } from "./bisection.ts";
import type { Decision } from "./decision.ts";
import type { Entry } from "./entry.ts";
import { type QueueState, runOf } from "./queue.ts";
import type { Reason } from "./reason.ts";
import type { TestRun } from "./test-run.ts";

/** Whether its merge has been ordered, so that nothing but the outcome may move it. */
export function isBeingMerged(state: QueueState, pr: number): boolean {
  return state.merge?.steps.some((step) => step.pr === pr) ?? false;
}

/** Ends an entry, and sends back everything whose tests contain it: its batch, and what stands on that. */
export function leave(
  decision: Decision,
  entry: Entry,
  to: "failed" | "cancelled" | "merged",
  reason: Reason,
  othersBecause: Reason,
): void {
  if (entry.bisectionId !== null) breakOff(decision, entry.bisectionId, othersBecause);
  const run = runOf(decision.state, entry);
  decision.move(decision.entry(entry.pr), to, reason);
  if (run) {
    for (const pr of run.members) waitAgain(decision, pr, othersBecause);
    discard(decision, run, reason);
  }
  sendBackFollowers(decision, entry.pr, othersBecause);
}

/** Takes an entry out of the line, with its batch: they wait again, each in its place in the order. */
export function sendBack(decision: Decision, entry: Entry, reason: Reason): void {
  if (entry.bisectionId !== null) return breakOff(decision, entry.bisectionId, reason);
  const run = runOf(decision.state, entry);
  if (!run) return waitAgain(decision, entry.pr, reason);
  for (const pr of run.members) waitAgain(decision, pr, reason);
  discard(decision, run, reason);
}

/**
 * Sends back every entry whose tests contain this pull request. What stands on one of those contains it, too: a run has
 * everything ahead of it on which what is ahead of it stands.
 */
export function sendBackFollowers(decision: Decision, pr: number, reason: Reason): void {
  for (const follower of decision.state.line) {
    const entry = decision.state.entries.get(follower);
    const run = entry && runOf(decision.state, entry);
    if (entry && run?.ahead.includes(pr)) sendBack(decision, entry, reason);
  }
}

export function sendBackEverything(decision: Decision, reason: Reason): void {
  for (const pr of decision.state.line) sendBack(decision, decision.entry(pr), reason);
}

export function discard(decision: Decision, run: TestRun, reason: Reason): void {
  const built = run.state !== "building";
  decision.record({ type: "run_discarded", runId: run.id, pr: run.members[0] ?? 0, built, reason });
}

/** A live entry waits for its tests again; one that waits already, or has left, is not moved. */
export function waitAgain(decision: Decision, pr: number, reason: Reason): void {
  const entry = decision.state.entries.get(pr);
  if (entry && entry.state !== "pending") decision.move(entry, "pending", reason);
}
