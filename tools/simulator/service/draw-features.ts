import type { QueueSettings } from "../../../src/engine/model/settings.ts";
import { createRandomSource, type RandomSource } from "../../../src/replay/workload/random-source.ts";
import type { PlannedPullRequest, ServicePlan } from "./service-plan.ts";

const minuteMs = 60_000;

/** What few teams use, in half of the lives: settings, dependencies between pull requests, and a freeze. */
export function drawFeatures(plan: ServicePlan): ServicePlan {
  const random = createRandomSource(plan.seed * 413_158_511 + 2_887);
  if (random() < 0.5) return plan;
  const { batchSizing, ...others } = drawSettings(random);
  const isTroubled = plan.flake !== null || plan.mishap !== null || plan.outage !== null;
  // With batches by load, tests may be ordered by beliefs, which may blame a pull request for a flake and for a failure of one behind it.
  const more = isTroubled || batchSizing === undefined ? others : { ...others, batchSizing };
  const { settings, nextQueue } = plan;
  const drawn = {
    ...plan,
    settings: { ...settings, ...more },
    nextQueue: nextQueue && { ...nextQueue, ...more },
  };
  return { ...drawn, pullRequests: drawDependencies(random, drawn), freeze: drawFreeze(random) };
}

function drawSettings(random: RandomSource): Partial<QueueSettings> {
  const drawn: readonly Partial<QueueSettings>[] = [
    { directMergeMode: "always" },
    { stateLabelsEnabled: true },
    { createPrsForTestingBranches: true },
    { batchSizing: "by_load" },
    { mergeMethod: "rebase" },
  ];
  return Object.assign({}, ...drawn.filter(() => random() < 0.25));
}

/** Pull requests depend on earlier ones that merge into the same branch. */
function drawDependencies(
  random: RandomSource,
  { pullRequests }: Pick<ServicePlan, "pullRequests">,
): readonly PlannedPullRequest[] {
  if (random() < 0.5) return pullRequests;
  const isSteady = ({ ends, movesAt }: PlannedPullRequest) => ends === "merged" && movesAt === null;
  return pullRequests.map((pr) => {
    const [chance, choice] = [random(), random()];
    const earlier = pullRequests.filter(
      (one) => one.number < pr.number && one.base === pr.base && isSteady(one),
    );
    const on = earlier[Math.floor(choice * earlier.length)];
    return on && chance < 0.4 && isSteady(pr) ? { ...pr, dependsOn: on.number } : pr;
  });
}

function drawFreeze(random: RandomSource): ServicePlan["freeze"] {
  const [chance, at, ms] = [random(), random(), random()];
  if (chance < 0.7) return null;
  return { at: Math.round(at * 9 * minuteMs), ms: Math.round((1 + ms * 5) * minuteMs) };
}
