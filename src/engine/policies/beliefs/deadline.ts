import { leastBatch } from "../../model/batch-size.ts";
import type { QueueState } from "../../model/queue.ts";
import { formationTime } from "../blocks/block-forming.ts";
import { pack } from "../lanes/grouping.ts";
import { retests } from "../lanes/retests.ts";
import { Scene } from "./scene.ts";
import { freeSlots } from "./slots.ts";
import { freshEntries } from "../lanes/starting.ts";

/** When the next block or batch starts although it is not complete; null when none waits for company. */
export function adaptiveDeadline(state: QueueState): number | null {
  if (state.settings.mode === "single") return formationTime(state);
  const size = leastBatch(state.settings);
  const slots = freeSlots(state);
  const { main: free } = slots;
  if (!state.settings.batch || size <= 1 || free === 0) return null;
  const scene = Scene.of(state);
  const fresh = freshEntries(scene);
  const scarce = retests(scene, slots).length + fresh.length > slots.any;
  const atLeast = { size, now: Number.NEGATIVE_INFINITY };
  return pack(scene, fresh, { free, scarce, atLeast }).deadline;
}
