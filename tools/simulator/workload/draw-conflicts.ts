import { draw } from "../../../src/replay/workload/random-source.ts";
import { Neighbourhood } from "../../../src/replay/workload/roster.ts";
import type { ConflictPair, Targets } from "../../../src/replay/workload/workload.ts";
import type { WorkloadModel } from "./model.ts";

/**
 * Maximum distance of a hidden conflict. Pull requests further apart do not conflict, because the earlier one merged before the
 * later one was written.
 */
const hiddenReachHours = 3;

/** Draws which pull requests conflict: some that share a target, and some that share none although they should. */
export function drawConflicts(model: WorkloadModel, targets: readonly Targets[]): ConflictPair[] {
  const neighbourhood = new Neighbourhood(targets);
  const conflicts: ConflictPair[] = [];
  const reach = Math.ceil(model.rate * hiddenReachHours);
  for (let later = 0; later < targets.length; later++) {
    for (const earlier of neighbourhood.of(later)) {
      if (earlier >= later) break;
      if (draw(model.seed * 31 + 5, earlier, later) < model.conflictShare) {
        conflicts.push({ a: earlier + 1, b: later + 1 });
      }
    }
    if (model.hiddenConflictShare === 0) continue;
    for (let earlier = Math.max(0, later - reach); earlier < later; earlier++) {
      if (neighbourhood.has(earlier, later)) continue;
      if (draw(model.seed * 77 + 9, earlier, later) < model.hiddenConflictShare) {
        conflicts.push({ a: earlier + 1, b: later + 1 });
      }
    }
  }
  return conflicts;
}
