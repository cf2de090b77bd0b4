import type { Decision } from "../../decision.ts";
import { finishSwitching } from "../../lifecycle/modes.ts";
import { ageWaiting, releaseHeld, resumeDelayed, rounds } from "../../lifecycle/requeue.ts";
import { waitAgain } from "../../lifecycle/testing/run-end.ts";
import type { EventData } from "../../model/event.ts";
import type { Input } from "../../model/input.ts";
import type { Policy } from "../../policy.ts";
import { type BeliefLayout, type BeliefPolicy, beliefLayoutOf } from "./belief-layout.ts";
import { beliefLinks, knownLinks } from "./explain-beliefs.ts";
import {
  abandonRun,
  concludeFailure,
  concludePass,
  entryLeaves,
  failRun,
  mergeProof,
  prepareSwitch,
  realignEntries,
  requeue,
  requeueAll,
  takeBackVerdict,
  waitingFor,
  widenOrHold,
} from "./verdicts.ts";

/** Returns a policy that estimates the probability that each entry is at fault. */
export function createBeliefPolicy(
  { name, nextDeadline, mayMergeNext }: Pick<Policy, "name" | "nextDeadline" | "mayMergeNext">,
  layout: BeliefLayout,
): BeliefPolicy {
  return {
    name,
    nextDeadline,
    mayMergeNext,
    layout,
    settle: settleBeliefs,
    prepareSwitch,
    runPassed: concludePass,
    runFailed: concludeFailure,
    runReopened: takeBackVerdict,
    retestsFlakes: () => true,
    entryLeaves,
    requeue,
    // A test that contains the entry still counts for its other members.
    requeueFollowers: () => {},
    requeueAll,
    mayBeInTest: () => true,
    decidesAbout: (_state, { members }) => members,
    waitingFor: (state, run) => waitingFor(layout.modelOf(state), run),
    abandonRun,
    failRun,
    buildConflict: widenOrHold,
    mergeProof,
    entryMerged: (decision, { pr }) => realignEntries(decision, { code: "OVERTAKEN", pr }),
    freeSlots: (state) => layout.modelOf(state).slots.main,
    slotsInUse: (state) => layout.modelOf(state).slotsInUse,
    retestsPendingFailures: true,
    explain: (state, entry, now, obvious) => [
      ...(obvious ? [obvious] : beliefLinks(layout, state, entry, now)),
      ...knownLinks(layout, state, entry),
    ],
  };
}

/**
 * Repeats all steps that need no further input until nothing changes. Each round first lets entries leave the line at the front, then
 * starts tests at the back. `rounds` limits the repetitions.
 */
export function settleBeliefs(decision: Decision, input: Input): void {
  ageWaiting(decision);
  if (input.type !== "clock" && decision.events.every(({ data }) => isQuiet(data))) return;
  for (const _ of rounds(decision)) {
    beliefLayoutOf(decision).decide(decision);
    // From here on, another mode or policy may apply.
    finishSwitching(decision);
    if (decision.policy.name === "fixed") return;
    resumeDelayed(decision);
    releaseHeld(decision);
    ageWaiting(decision);
    returnStrays(decision);
    beliefLayoutOf(decision).start(decision);
  }
}

/** Requeues entries that have no run after a change of the mode, because the new mode starts without evidence. */
function returnStrays(decision: Decision): void {
  if (!decision.events.some(({ data }) => data.type === "queue_configured" && data.changes.mode)) return;
  for (const { pr, state, runId } of decision.state.entries.values()) {
    const isStray = state === "testing" || state === "tests_passed" || state === "pending_failure";
    if (isStray && runId === null) waitAgain(decision, pr, { code: "RETESTED" });
  }
}

/** Whether an event has no consequences before the next input. */
function isQuiet(data: EventData): boolean {
  if (data.type === "entry_moved") return data.to === "testing";
  return data.type === "run_built" || data.type === "run_checked" || data.type === "entry_observed";
}
