import type { QueueState } from "../model/queue.ts";
import { usesLanes } from "../model/settings.ts";
import type { Policy } from "../policy.ts";
import { blocks } from "./blocks/blocks-policy.ts";
import { fixed } from "./fixed/fixed-policy.ts";
import { lanes } from "./lanes/lanes-policy.ts";

export function policyOf({ strategy, settings }: Pick<QueueState, "strategy" | "settings">): Policy {
  if (strategy === "line") return fixed;
  return usesLanes(settings) ? lanes : blocks;
}
