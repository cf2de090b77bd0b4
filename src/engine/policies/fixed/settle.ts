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
 * Everything that can go on by itself, in the direction of the line: out at the front first, in at the back last; again and
 * again until nothing does; see `rounds` for the bound.
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
