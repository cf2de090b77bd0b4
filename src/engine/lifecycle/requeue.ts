import type { Decision } from "../decision.ts";
import { type Entry, type Exit, orderTimeOf, type PullRequestFacts, skipsTheLine } from "../model/entry.ts";
import type { InputOf } from "../model/input.ts";
import type { MergedStep } from "../model/merge-attempt.ts";
import { isBeingMerged, isFrozen, remainingAhead, treeOf } from "../model/order/dependencies.ts";
import { type QueueState, runOf } from "../model/queue.ts";
import { settingInUse, usesLanes } from "../model/settings.ts";
import type { Reason } from "../reasons/reason.ts";
import { isMergeCalled, recallMerge } from "./merging/ordered-merge.ts";
import { releaseDependents } from "./submission/readiness.ts";

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
export function restart(decision: Decision, command: InputOf<"restart">): void {
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

/**
 * Records that the base got the tree in which an entry was tested. Tests that contain the entry remain valid.
 *
 * @param merge `startedAt`: before this time, in milliseconds since the epoch, the entry had not merged
 */
export function finishMerge(
  decision: Decision,
  { startedAt: since }: { readonly startedAt: number },
  { pr, sha }: Pick<MergedStep, "pr" | "sha">,
  reason: Reason,
): void {
  const entry = decision.entry(pr);
  const run = runOf(decision.state, entry);
  decision.record({ type: "base_moved", sha, pr, since });
  decision.move(entry, "merged", reason);
  releaseDependents(decision, pr);
  decision.policy.entryMerged(decision, entry, run, sha, reason);
}

/**
 * Records a merge by somebody else that gave the base exactly the tree in which the entry is tested, as the next one to merge. Returns
 * false for any other merge. The first of several members of a batch counts only if the batch has passed, because they are decided
 * together.
 */
export function absorbMerge(
  decision: Decision,
  { number: pr, baseBranch, mergedSha: sha, mergedTree }: PullRequestFacts,
  reason: Reason,
): boolean {
  const { state, context } = decision;
  const run = runOf(state, decision.entry(pr));
  const tested = run?.commits.find((commit) => commit.pr === pr);
  if (!run || !tested || sha === null || tested.treeSha !== mergedTree || baseBranch !== state.branch)
    return false;
  const members = run.members.filter((member) => state.entries.has(member));
  const isFirst = members[0] === pr && remainingAhead(state, run)?.length === 0;
  if (!isFirst || !decision.policy.mayMergeNext(state, run)) return false;
  // The targets of a merge from outside are unknown, so the tests in all lanes must contain it.
  const isInAll = [...state.runs.values()].every((other) => treeOf(other).includes(pr));
  if (usesLanes(state.settings) && !isInAll) return false;
  if (members.length > 1 && run.state !== "passed") return false;
  if (isBeingMerged(state, pr)) recallMerge(decision);
  // While another merge is ordered, only its outcome tells where the base is.
  if (decision.state.merge) return false;
  finishMerge(decision, { startedAt: context.now }, { pr, sha }, reason);
  return true;
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

/**
 * Ages the entries that have waited for the maximum time of the queue. From then on, only urgent entries overtake them. Waiting entries
 * that were submitted before them have aged, too, so that aged entries keep the order of submission.
 */
export function ageWaiting(decision: Decision): void {
  for (let due = nextAgeing(decision.state); due !== null; due = nextAgeing(decision.state)) {
    const pr = decision.state.ageing.first();
    if (pr === undefined || due > decision.context.now) return;
    decision.record({ type: "entry_aged", pr });
  }
}

/** Returns when the next entry ages, in milliseconds since the epoch; null if no entry can age. */
export function nextAgeing(state: QueueState): number | null {
  const pr = state.ageing.first();
  const entry = pr === undefined ? undefined : state.entries.get(pr);
  if (!entry) return null;
  return orderTimeOf(entry) + settingInUse(state.settings, "priorityMaxWaitTimeMinutes") * 60_000;
}

/** Most decisions need at most four. */
const mostRounds = 50;

/**
 * The rounds of a decision: it repeats its steps until nothing changes, or the limit is reached. Then the decision ends in that state, and
 * the next input continues. Without a limit, two steps that undo each other would block the service.
 */
export function* rounds({ events }: Pick<Decision, "events">): Generator<number> {
  for (let round = 1, before = -1; round <= mostRounds && before < events.length; round++) {
    before = events.length;
    yield round;
  }
}
