import type { EventData } from "../model/event.ts";
import type { QueueState } from "../model/queue.ts";
import type { PolicyFold } from "../policy-fold.ts";
import { beliefsFold } from "./beliefs/beliefs-fold.ts";
import { fixedFold } from "./fixed/fixed-fold.ts";

/** Returns the fold of the policy that decides about a queue in this state. */
export function foldOf({ strategy }: Pick<QueueState, "strategy">): PolicyFold {
  return strategy === "line" ? fixedFold : beliefsFold;
}

/** Whether an event may change the policy that decides. */
export function switchesPolicy(data: EventData): boolean {
  if (data.type === "strategy_chosen") return true;
  return data.type === "queue_configured" && (data.changes.mode ?? data.changes.policy) !== undefined;
}
