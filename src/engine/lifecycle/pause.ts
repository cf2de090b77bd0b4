import type { Decision } from "../decision.ts";
import type { Reason } from "../reasons/reason.ts";

/** Stops tests and merges until somebody sets the queue to `running`. A queue that is paused already keeps its first reason. */
export function pauseQueue(decision: Decision, reason: Reason): void {
  if (decision.state.status === "paused") return;
  decision.record({ type: "queue_status_changed", to: "paused", reason });
}
