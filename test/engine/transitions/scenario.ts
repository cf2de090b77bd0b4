import type { QueueHarness } from "../queue-harness.ts";

/** Takes #2 along an arrow of the transition table, possibly among others. */
export type Scenario = () => QueueHarness;

/** Scenarios by the names of their arrows, such as `testing → pending RESTARTED`. */
export type Scenarios = readonly (readonly [arrow: string, Scenario])[];

export const does = (begin: Scenario, then: (queue: QueueHarness) => void) => () => {
  const queue = begin();
  then(queue);
  return queue;
};
