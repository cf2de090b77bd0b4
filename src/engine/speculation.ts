import { nextBatch } from "./batching.ts";
import { mostServed } from "./capacity.ts";
import type { Decision } from "./decision.ts";
import { depend, goodAhead } from "./dependencies.ts";
import { type Entry, skipsTheLine } from "./entry.ts";
import { isFrozen } from "./freeze.ts";
import { mayBeSentBackInFreeze } from "./freeze-way.ts";
import type { Command } from "./input.ts";
import { serialSlots, testsOneAtATime } from "./interrupted.ts";
import { sendBack, sendBackFollowers } from "./line.ts";
import { baseTip, type QueueState, startsTests } from "./queue.ts";
import { isMergeCalled, recallMerge } from "./recall-merge.ts";
import { isBeingMerged } from "./run-end.ts";
import { effective } from "./settings.ts";

/** Starts test runs while slots are free, each on top of everything in the line that is still good. */
export function startRuns(decision: Decision): void {
  for (let free = freeSlots(decision.state); free > 0; free -= 1) {
    const { state, context } = decision;
    const base = baseTip(state);
    const members = nextBatch(state, context.now);
    if (base === null || members === null) return;
    decision.record({
      type: "run_started",
      run: {
        id: context.newId(),
        kind: "main",
        bisectionId: null,
        method: state.settings.mergeMethod,
        base,
        ahead: goodAhead(state, members),
        members,
      },
    });
  }
}

export function freeSlots(state: QueueState): number {
  if (testsOneAtATime(state)) return serialSlots(state);
  const { main, bisection } = state.runIndex.active;
  return Math.min(effective(state.settings, "concurrency") - main, mostServed(state) - main - bisection);
}

/** Makes way for an urgent entry: what is under test goes back behind it. */
export function interruptForUrgent(decision: Decision): void {
  const { state } = decision;
  const first = state.waiting.first();
  const urgent = first === undefined ? undefined : state.entries.get(first);
  if (!urgent || !skipsTheLine(urgent) || !startsTests(state.status)) return;
  for (const pr of state.line) {
    const entry = decision.state.entries.get(pr);
    if (!entry || !isInterruptible(decision.state, entry) || !depend(state, urgent, entry)) continue;
    sendBack(decision, entry, { code: "INTERRUPTED_BY_URGENT", pr: urgent.pr });
    sendBackFollowers(decision, pr, { code: "AHEAD_RESTARTED", pr });
  }
}

/** What has passed merges before the urgent entry, unless there is a freeze. */
function isInterruptible(state: QueueState, entry: Entry): boolean {
  return mayBeSentBackInFreeze(state, entry) || (!skipsTheLine(entry) && isUnderTest(entry));
}

function isUnderTest({ state, runId, bisectionId }: Entry): boolean {
  return state === "testing" || (state === "pending" && (runId !== null || bisectionId !== null));
}

/** Lets entries wait in their place again when their delay is over or its reason no longer applies. */
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

/** Lets a held entry wait in its place again when everything that it conflicted with is decided. */
export function releaseHeld(decision: Decision): void {
  if (decision.state.held.size === 0) return;
  for (const pr of decision.state.held.values()) {
    if (!isStillHeld(decision.state, decision.entry(pr))) decision.record({ type: "entry_released", pr });
  }
}

/** An urgent entry does not wait for the end of a freeze: what it conflicts with goes back behind it. */
function isStillHeld(state: QueueState, entry: Entry): boolean {
  return entry.heldBehind.some((pr) => {
    const other = state.entries.get(pr);
    return other !== undefined && !(skipsTheLine(entry) && isFrozen(state, other));
  });
}

/** Tests an entry again, and everything whose tests contain it; each keeps its place in the order. */
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
