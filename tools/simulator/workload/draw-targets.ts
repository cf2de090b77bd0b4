import { exponential, type RandomSource } from "../../../src/replay/workload/random-source.ts";
import type { Targets } from "../../../src/replay/workload/workload.ts";
import type { WorkloadModel } from "./model.ts";

/**
 * Draws the targets of each pull request. Chooses the number of target names so that two pull requests share one with probability
 * `pairShare`.
 */
export function drawTargets(
  { pairShare, allShare }: WorkloadModel,
  count: number,
  random: RandomSource,
): Targets[] {
  const counts = Array.from({ length: count }, () => 1 + Math.min(11, Math.floor(exponential(random) * 2)));
  const mean = counts.reduce((sum, size) => sum + size, 0) / Math.max(1, count);
  const names = Math.max(2, Math.round(mean ** 2 / Math.max(1e-9, pairShare)));
  return counts.map((size) => {
    const impactsAll = random() < allShare;
    const drawn = new Set(Array.from({ length: size }, () => `t${Math.floor(random() * names)}`));
    return impactsAll ? "ALL" : [...drawn];
  });
}
