import type { Decision } from "../../decision.ts";
import { leave, sendBackFollowers } from "../../lifecycle/requeue.ts";
import { discard, waitAgain } from "../../lifecycle/testing/run-end.ts";
import type { Entry, Exit } from "../../model/entry.ts";
import { remainingAhead } from "../../model/order/dependencies.ts";
import { type QueueState, runOf } from "../../model/queue.ts";
import type { TestRun } from "../../model/test-run.ts";
import type { Reason } from "../../reasons/reason.ts";
import { breakOff } from "./bisection.ts";
import { bisectionOf } from "./fixed-fold.ts";

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
  for (const { entry: before, run } of decision.state.line.entries) {
    if (!run?.ahead.includes(pr)) continue;
    const entry = decision.state.entries.get(before.pr);
    // It may have been requeued with another member of its batch.
    if (entry && runOf(decision.state, entry)) requeue(decision, entry, reason);
  }
}

export function requeueAll(decision: Decision, reason: Reason): void {
  for (const pr of decision.state.line) requeue(decision, decision.entry(pr), reason);
}

/** The entries that wait for a run's verdict: its members, or all members of the bisection that it belongs to. */
export function decidesAbout(state: QueueState, run: TestRun): readonly number[] {
  return bisectionOf(state, run)?.members ?? run.members;
}

/** Gives a run up. Its members wait again, and the runs that contain it are given up, too. */
export function abandonRun(
  decision: Decision,
  run: TestRun,
  reason: Reason,
  followers: "AHEAD_HELD" | "AHEAD_RESTARTED",
): void {
  if (run.bisectionId !== null) {
    const again: Reason = { code: "BISECTION_REQUIRED" };
    return breakOff(decision, run.bisectionId, reason.code === "INFRASTRUCTURE_ERROR" ? reason : again);
  }
  for (const pr of run.members) waitAgain(decision, pr, reason);
  discard(decision, run, reason);
  for (const pr of run.members) sendBackFollowers(decision, pr, { code: followers, pr });
}

/** Evicts the entries that wait for a run. */
export function failRun(decision: Decision, run: TestRun, reason: Reason): void {
  for (const pr of decidesAbout(decision.state, run))
    leave(decision, decision.entry(pr), "failed", reason, { code: "AHEAD_FAILED", pr });
}

/**
 * A pull request that conflicts on the bare base fails. Otherwise it is held until everything ahead of it is decided, and the
 * other members of its batch continue without it.
 */
export function holdOrFail(decision: Decision, run: TestRun, culprit: number, reason: Reason): void {
  const ahead = remainingAhead(decision.state, run) ?? run.ahead;
  const index = run.members.indexOf(culprit);
  // If the commits ahead conflict with each other, no member of the run can be built on them.
  const held = index < 0 ? run.members : [culprit];
  const behind = index < 0 ? ahead : [...ahead, ...run.members.slice(0, index)];
  if (behind.length === 0) {
    return leave(decision, decision.entry(culprit), "failed", reason, { code: "AHEAD_FAILED", pr: culprit });
  }
  abandonRun(decision, run, { code: "CONFLICT_WITH_AHEAD", prs: behind }, "AHEAD_HELD");
  for (const pr of held) decision.record({ type: "entry_held", pr, behind });
}
