import { createRandomSource, type RandomSource } from "../../../src/replay/workload/random-source.ts";
import { drawSettings } from "./draw-settings.ts";
import type { PlannedPullRequest, ServicePlan } from "./service-plan.ts";
import { otherBranch } from "./virtual-repository.ts";

const minuteMs = 60_000;
/** Commands about the queue of `main` are given in comments on this pull request. */
const commentedOn = 1;

/** Gives the repository a second queue in a third of the lives. Some pull requests are for it, and some change from one to the other. */
export function drawNextQueue(plan: ServicePlan): ServicePlan {
  const random = createRandomSource(plan.seed * 198_491_317 + 29);
  if (random() >= 0.33) return plan;
  const drawn = drawSettings(random);
  const isTroubled = plan.flake !== null || plan.mishap !== null || plan.outage !== null;
  // The other policy may blame a pull request for one failure.
  const settings = isTroubled ? { ...drawn, policy: "adaptive" as const } : drawn;
  const nextQueue = plan.by === "auto_merge" ? { ...settings, submitByAutoMerge: true } : settings;
  const based = plan.pullRequests.map((pr) => keepOnMain(drawBase(plan.seed, pr)));
  return { ...plan, nextQueue, pullRequests: based.map((pr) => drawMove(random, pr)) };
}

/** Pull requests of which only one can merge have the same base branch. */
function drawBase(seed: number, pr: PlannedPullRequest): PlannedPullRequest {
  const group = typeof pr.ends === "object" ? Number.parseInt(pr.ends.oneOf, 10) : pr.number;
  const chance = createRandomSource(seed * 217_645_177 + group * 15_487_469)();
  return group !== commentedOn && chance < 0.4 ? { ...pr, base: otherBranch } : pr;
}

/** If it left `main`, a comment on it would be about the other queue. */
function keepOnMain(pr: PlannedPullRequest): PlannedPullRequest {
  const isRetargeted = pr.number === commentedOn && pr.withdrawn?.by === "retarget";
  return isRetargeted && pr.withdrawn ? { ...pr, withdrawn: { ...pr.withdrawn, by: "close" } } : pr;
}

/** Lets a pull request that would merge change its base branch, often just after it was submitted. */
function drawMove(random: RandomSource, pr: PlannedPullRequest): PlannedPullRequest {
  const [chance, length] = [random(), random()];
  const staysWhereItIs = pr.number === commentedOn || pr.ends !== "merged" || pr.withdrawn || pr.reworked;
  if (staysWhereItIs || chance >= 0.4) return pr;
  const afterMs = chance < 0.15 ? length * 20_000 : length * 4 * minuteMs;
  return { ...pr, movesAt: pr.submittedAt + 1_000 + Math.round(afterMs) };
}
