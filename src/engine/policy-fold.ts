import type { Entry } from "./model/entry.ts";
import type { Event } from "./model/event.ts";
import type { QueueState } from "./model/queue.ts";
import type { TestRun } from "./model/test-run.ts";

/** How a policy folds events into the state of a queue. It imports no code that decides, so that replaying a log needs none. */
export interface PolicyFold {
  /** Returns the state after an entry went back to `pending`. */
  entryRequeued(state: QueueState, entry: Entry): QueueState;
  /** Returns the state after a run was discarded. The given state does not contain the run, but its entries may still refer to it. */
  runDiscarded(state: QueueState, run: TestRun): QueueState;
  /**
   * Returns `after` with what the policy learns from an event. `before` and `after` are the states before and after the rest of the event
   * is folded.
   */
  learn(before: QueueState, after: QueueState, event: Event): QueueState;
}
