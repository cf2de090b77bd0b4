import type { EventData } from "../model/event.ts";
import type { QueueState } from "../model/queue.ts";
import { usesLanes } from "../model/settings.ts";
import type { PolicyFold } from "../policy-fold.ts";
import { createBeliefFold } from "./beliefs/beliefs-fold.ts";
import { blocksAfter } from "./blocks/evolve-blocks.ts";
import { fixedFold } from "./fixed/fixed-fold.ts";
import { lanesAfter } from "./lanes/evolve-lanes.ts";

const lanesFold = createBeliefFold(lanesAfter);
const blocksFold = createBeliefFold(blocksAfter);

/** Returns the fold of the policy that decides about a queue in this state. */
export function foldOf({ strategy, settings }: Pick<QueueState, "strategy" | "settings">): PolicyFold {
  if (strategy === "line") return fixedFold;
  return usesLanes(settings) ? lanesFold : blocksFold;
}

/** Whether an event changes the policy that decides. Another setting `policy` may mean the same one. */
export function switchesPolicy(before: QueueState, after: QueueState, { type }: EventData): boolean {
  const mayChange = type === "strategy_chosen" || type === "queue_configured";
  return mayChange && foldOf(before) !== foldOf(after);
}
