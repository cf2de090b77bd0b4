import type { Decision } from "./decision.ts";
import type { Entry } from "./entry.ts";
import { type QueueState, runOf } from "./queue.ts";
import type { Reason } from "./reason.ts";
import type { TestRun } from "./test-run.ts";

/** Whether its merge has been ordered, so that nothing but the outcome may move it. */
export function isBeingMerged(state: QueueState, pr: number): boolean {
  return state.merge?.steps.some((step) => step.pr === pr) ?? false;
}

/** Ends an entry, and sends back everything whose tests contain it. */
export function leave(
  decision: Decision,
  entry: Entry,
  to: "failed" | "cancelled" | "merged",
  reason: Reason,
  followersBecause: Reason,
): void {
  const run = runOf(decision.state, entry);
  decision.move(entry, to, reason);
  if (run) discard(decision, run, reason);
  sendBackFollowers(decision, entry.pr, followersBecause);
}

/** Takes an entry out of the line: it waits again, in its place in the order. */
export function sendBack(decision: Decision, entry: Entry, reason: Reason): void {
  const run = runOf(decision.state, entry);
  if (entry.state !== "pending") decision.move(entry, "pending", reason);
  if (run) discard(decision, run, reason);
}

/** Sends back every entry whose tests contain this pull request. */
export function sendBackFollowers(decision: Decision, pr: number, reason: Reason): void {
  for (const follower of decision.state.line) {
    const entry = decision.entry(follower);
    if (runOf(decision.state, entry)?.ahead.includes(pr)) sendBack(decision, entry, reason);
  }
}

export function sendBackEverything(decision: Decision, reason: Reason): void {
  for (const pr of decision.state.line) sendBack(decision, decision.entry(pr), reason);
}

export function discard(decision: Decision, run: TestRun, reason: Reason): void {
  const built = run.state !== "building";
  decision.record({ type: "run_discarded", runId: run.id, pr: run.members[0] ?? 0, built, reason });
}
