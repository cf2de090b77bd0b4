import type { Decision } from "../../decision.ts";
import { finishSwitching } from "../../lifecycle/modes.ts";
import { ageWaiting, releaseHeld, resumeDelayed, rounds } from "../../lifecycle/requeue.ts";
import { freeSlots, slotsInUse } from "../../model/capacity/slots.ts";
import type { Policy } from "../../policy.ts";
import { batchDeadline } from "./batching.ts";
import { breakOffIdle, continueBisections } from "./bisection.ts";
import { fixedLinks } from "./explain-fixed.ts";
import {
  abandonRun,
  decidesAbout,
  entryLeaves,
  failRun,
  holdOrFail,
  requeue,
  requeueAll,
  requeueFollowers,
} from "./leaving.ts";
import { finishMerged, mergeProof, startMerge } from "./merging.ts";
import { interruptForUrgent, makeWayInFreeze, startRuns } from "./speculation.ts";
import { decidePendingFailures, runFailed, runPassed, runReopened } from "./verdicts.ts";

/**
 * Tests entries in the order of the queue, each on top of the entries ahead that it depends on, and bisects failed batches. In `single`
 * mode an entry depends on everything ahead of it; in `parallel` mode, on the entries that impact a common target.
 */
export const fixed: Policy = {
  name: "fixed",
  settle,
  prepareSwitch: breakOffIdle,
  runPassed,
  runFailed,
  runReopened,
  // A bisection evicts its culprit. Other failures are doubted, or stand as CI reports them.
  retestsFlakes: ({ kind }) => kind === "bisection",
  entryLeaves,
  requeue,
  requeueFollowers,
  requeueAll,
  mayBeInTest: ({ runId, bisectionId }) => runId !== null || bisectionId !== null,
  decidesAbout,
  waitingFor: decidesAbout,
  abandonRun,
  failRun,
  buildConflict: holdOrFail,
  mayMergeNext: () => true,
  mergeProof,
  entryMerged: finishMerged,
  freeSlots,
  slotsInUse,
  retestsPendingFailures: false,
  explain: (state, entry, now, obvious) => (obvious ? [obvious] : fixedLinks(state, entry, now)),
  nextDeadline: (state) => (freeSlots(state) > 0 ? batchDeadline(state) : null),
};

/**
 * Repeats all steps that need no further input until nothing changes. Each round first lets entries leave the line at the front, then
 * starts tests at the back. `rounds` limits the repetitions.
 */
export function settle(decision: Decision): void {
  for (const _ of rounds(decision)) {
    decidePendingFailures(decision);
    continueBisections(decision);
    startMerge(decision);
    finishSwitching(decision);
    if (decision.policy.name !== "fixed") return;
    resumeDelayed(decision);
    releaseHeld(decision);
    ageWaiting(decision);
    makeWayInFreeze(decision);
    interruptForUrgent(decision);
    startRuns(decision);
  }
}
