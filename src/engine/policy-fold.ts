import type { Entry } from "./model/entry.ts";
import type { Event } from "./model/event.ts";
import type { QueueState } from "./model/queue.ts";
import type { TestRun } from "./model/test-run.ts";

/** How a policy folds events into the state of a queue. Imports no decider, so that replaying a log needs none. */
export interface PolicyFold {
  /** The state after an entry went back to pending. */
  entryRequeued(state: QueueState, entry: Entry): QueueState;
  /** The state without a run that was discarded. The run is gone already; its entries may still name it. */
  runDiscarded(state: QueueState, run: TestRun): QueueState;
  /** The state with what an event teaches the policy. `before` is the state that the event met, `after` the one that it made. */
  learn(before: QueueState, after: QueueState, event: Event): QueueState;
}
