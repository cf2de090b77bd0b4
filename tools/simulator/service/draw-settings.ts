import type { QueueSettings } from "../../../src/engine/model/settings.ts";
import type { RandomSource } from "../../../src/replay/workload/random-source.ts";

/** Draws the settings of a queue. */
export function drawSettings(random: RandomSource): Partial<QueueSettings> {
  const one = <T>(...values: readonly T[]) => values[Math.floor(random() * values.length)] as T;
  return {
    mode: one("single", "single", "parallel"),
    policy: one("adaptive", "adaptive", "fixed"),
    concurrency: one(1, 2, 4),
    batch: one(false, false, true),
    batchingMaxWaitTimeMinutes: 1,
    mergeMethod: one("merge_commit", "squash"),
    canOptimisticallyMerge: one(false, true),
    pendingFailureDepth: one(0, 0, 2),
    optimizationMode: one("off", "bisection_skip_redundant_tests"),
  };
}
