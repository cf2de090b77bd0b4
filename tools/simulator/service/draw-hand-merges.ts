import { createRandomSource } from "../../../src/replay/workload/random-source.ts";
import type { PlannedPullRequest, ServicePlan } from "./service-plan.ts";

const minuteMs = 60_000;

/** In a quarter of the lives, somebody merges pull requests at the code host while they are in the queue, or before. */
export function drawHandMerges(plan: ServicePlan): ServicePlan {
  const random = createRandomSource(plan.seed * 256_203_161 + 31);
  if (random() >= 0.25) return plan;
  const draw = (pr: PlannedPullRequest): PlannedPullRequest => {
    const [chance, length] = [random(), random()];
    const isPlain = pr.ends === "merged" && !pr.withdrawn && !pr.reworked && pr.movesAt === null;
    if (!isPlain || chance >= 0.4) return pr;
    return { ...pr, mergedByHandAt: pr.submittedAt + 1_000 + Math.round(length * 5 * minuteMs) };
  };
  return { ...plan, pullRequests: plan.pullRequests.map(draw) };
}
