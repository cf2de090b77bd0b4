import { skipsTheLine } from "../../model/entry.ts";
import type { QueueState } from "../../model/queue.ts";
import { beliefsOf } from "../beliefs/belief-state.ts";
import { createBeliefPolicy } from "../beliefs/beliefs-policy.ts";
import { considerWaiting } from "../beliefs/considering.ts";
import { convict, reviseSuspects } from "../beliefs/suspicion.ts";
import { alignInLane, certifyTree } from "./certifying.ts";
import { cull } from "./cull.ts";
import { laneWaitLinks } from "./explain-lanes.ts";
import { preemptible } from "./hedges.ts";
import { interruptNeighbours } from "./interrupting.ts";
import { laneModelOf } from "./lane-model.ts";
import { startAdaptiveMerge } from "./merging.ts";
import { companyDeadline, startTests } from "./starting.ts";

/** Estimates faults in `parallel` mode: an entry is tested on top of the entries ahead that impact a common target. */
export const lanes = createBeliefPolicy(
  { name: "lanes", nextDeadline: companyDeadline },
  {
    modelOf: laneModelOf,
    mayStart,
    decide(decision) {
      reviseSuspects(decision, laneModelOf(decision.state));
      convict(decision, laneModelOf(decision.state));
      cull(decision, laneModelOf(decision.state));
      startAdaptiveMerge(decision, laneModelOf(decision.state));
    },
    start(decision) {
      considerWaiting(decision);
      interruptNeighbours(decision);
      considerWaiting(decision);
      startTests(decision);
    },
    runPassed: certifyTree,
    align: alignInLane,
    holdsOnConflict: (track) => track?.useTransitiveDependencies ?? false,
    waitLinks: laneWaitLinks,
    verdictLinks: () => [],
  },
);

/** Whether a slot is free, or can be taken from a hedge, or the first waiting entry is urgent. */
function mayStart(state: QueueState): boolean {
  const first = state.waiting.first();
  const urgent = first === undefined ? undefined : state.entries.get(first);
  if (urgent && skipsTheLine(urgent) && !beliefsOf(state).tracks.has(urgent.pr)) return true;
  const model = laneModelOf(state);
  return model.slots.any > 0 || preemptible(model).length > 0;
}
