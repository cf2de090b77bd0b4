import type { Decision } from "../../decision.ts";
import { ageWaiting } from "../../lifecycle/ageing.ts";
import { finishSwitching } from "../../lifecycle/modes.ts";
import { releaseHeld, resumeDelayed } from "../../lifecycle/requeue.ts";
import { rounds } from "../../lifecycle/rounds.ts";
import { continueBisections } from "./bisection.ts";
import { makeWayInFreeze } from "./freeze-way.ts";
import { startMerge } from "./merging.ts";
import { interruptForUrgent, startRuns } from "./speculation.ts";
import { decidePendingFailures } from "./verdicts.ts";

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
