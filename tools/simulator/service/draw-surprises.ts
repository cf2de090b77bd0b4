import type { QueueSettings } from "../../../src/engine/model/settings.ts";
import { createRandomSource, type RandomSource } from "../../../src/replay/workload/random-source.ts";
import type { PlannedIncident, PlannedPullRequest, ServicePlan, Way } from "./service-plan.ts";
import { drawRequirements } from "./virtual-requirements.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
/** If some kinds of calls fail for longer, the service takes the failures for refusals. */
const longestIncidentMs = 2 * minuteMs;
const incidents = ["unavailable", "denied", "not_found", "busy"] as const;

/** Surprises that a queue cannot foresee, drawn so that the other draws of a seed do not change. */
export function drawSurprises(plan: ServicePlan): ServicePlan {
  const pullRequests = drawWays(plan, drawUploads(plan, drawDrafts(plan, drawHandMerges(plan))));
  const surprised = { ...plan, pullRequests, incident: drawIncident(plan), reruns: drawReruns(plan) };
  return drawRequirements(
    drawLongIncident(
      drawDowntime(drawPublishing(drawRefusedQueries(drawMerging(drawDelays(drawFeatures(surprised)))))),
    ),
  );
}

/** In every seventh life, the service does not run for half an hour to half a day. */
function drawDowntime(plan: ServicePlan): ServicePlan {
  const random = createRandomSource(plan.seed * 530_000_053 + 25);
  const [chance, start, length, frozen] = [random(), random(), random(), random()];
  if (chance >= 0.15) return plan;
  const at = Math.round((1 + start * 9) * minuteMs);
  const ms = Math.round((0.5 + length * 11.5) * hourMs);
  return { ...plan, downtime: { at, ms, isFrozen: frozen < 0.5 }, calmFrom: plan.calmFrom + ms };
}

/** In half of the lives, the adapter for GitHub writes comments, checks and reactions. */
function drawPublishing(plan: ServicePlan): ServicePlan {
  const random = createRandomSource(plan.seed * 500_318_543 + 19);
  return random() < 0.5 ? { ...plan, publishesByAdapter: true } : plan;
}

/** In half of the lives, the adapter for GitHub builds and merges, often by the asynchronous API. */
function drawMerging(plan: ServicePlan): ServicePlan {
  const random = createRandomSource(plan.seed * 512_927_357 + 26_669);
  const [chance, isAsync] = [random(), random() < 0.4];
  if (chance >= 0.5) return plan;
  const more = isAsync ? ({ mergeBy: "async_api" } as const) : {};
  const { settings, nextQueue } = plan;
  return {
    ...plan,
    mergesByAdapter: true,
    settings: { ...settings, ...more },
    nextQueue: nextQueue && { ...nextQueue, ...more },
  };
}

/**
 * In a third of the lives in which the adapter merges, between a tenth and all of the queries about pull requests are answered with errors.
 */
function drawRefusedQueries(plan: ServicePlan): ServicePlan {
  const random = createRandomSource(plan.seed * 472_882_027 + 50);
  const [chance, share] = [random(), random()];
  if (!plan.mergesByAdapter || chance >= 0.33) return plan;
  return { ...plan, refusedQueries: Math.min(1, 0.1 + share) };
}

/** In a quarter of the lives, some webhooks come minutes late. In another quarter, some lists are some seconds old. */
function drawDelays(plan: ServicePlan): ServicePlan {
  const random = createRandomSource(plan.seed * 492_876_847 + 2_872);
  const [chance, share] = [random(), random()];
  if (chance >= 0.5) return plan;
  return chance < 0.25
    ? { ...plan, lateWebhooks: share * 0.3, lostWebhooks: Math.min(plan.lostWebhooks, 0.3) }
    : { ...plan, laggingLists: share };
}

/** In every fifth life in which people do not use the API, they submit in different ways, and some withdraw in comments. */
function drawWays({ seed, by }: ServicePlan, pullRequests: readonly PlannedPullRequest[]) {
  const random = createRandomSource(seed * 334_214_467 + 32);
  if (by === "api" || random() >= 0.2) return pullRequests;
  const ways: readonly Way[] =
    by === "auto_merge" ? ["auto_merge", "comment", "label"] : ["comment", "label"];
  return pullRequests.map((pr) => {
    const submits = ways[Math.floor(random() * ways.length)] as Way;
    return { ...pr, ways: { submits, cancels: random() < 0.5 ? ("comment" as const) : submits } };
  });
}

/** In a third of the lives, CI takes up to three minutes to upload the impacted targets of some heads. */
function drawUploads({ seed }: ServicePlan, pullRequests: readonly PlannedPullRequest[]) {
  const random = createRandomSource(seed * 353_868_019 + 88);
  if (random() >= 0.33) return pullRequests;
  return pullRequests.map((pr) => {
    const uploadsAfterMs = Math.round(random() * 3 * minuteMs);
    return random() < 0.5 ? { ...pr, uploadsAfterMs } : pr;
  });
}

/** In a quarter of the lives, somebody merges pull requests at the code host while they are in the queue, or before. */
function drawHandMerges({ seed, pullRequests }: ServicePlan): readonly PlannedPullRequest[] {
  const random = createRandomSource(seed * 256_203_161 + 31);
  if (random() >= 0.25) return pullRequests;
  return pullRequests.map((pr) => {
    const [chance, length] = [random(), random()];
    const isPlain = pr.ends === "merged" && !pr.withdrawn && !pr.reworked && pr.movesAt === null;
    if (!isPlain || chance >= 0.4) return pr;
    return { ...pr, mergedByHandAt: pr.submittedAt + 1_000 + Math.round(length * 5 * minuteMs) };
  });
}

/** In half of the lives, pull requests that would be closed are converted to drafts instead. */
function drawDrafts({ seed }: ServicePlan, pullRequests: readonly PlannedPullRequest[]) {
  const random = createRandomSource(seed * 295_075_147 + 5_891);
  if (random() >= 0.5) return pullRequests;
  return pullRequests.map((pr) =>
    pr.withdrawn?.by === "close" ? { ...pr, withdrawn: { ...pr.withdrawn, by: "draft" as const } } : pr,
  );
}

/** In a quarter of the lives, people re-run tests that have ended, without being asked. */
function drawReruns({ seed }: ServicePlan): readonly number[] {
  const random = createRandomSource(seed * 373_587_883 + 66);
  if (random() >= 0.25) return [];
  return Array.from({ length: 1 + Math.floor(random() * 6) }, () => Math.round(random() * 11 * minuteMs));
}

/** In a quarter of the lives, about half of the kinds of calls fail in the same way for up to two minutes. */
function drawIncident({ seed }: ServicePlan): PlannedIncident | null {
  const random = createRandomSource(seed * 314_606_869 + 36);
  if (random() >= 0.25) return null;
  const kind = incidents[Math.floor(random() * incidents.length)] as PlannedIncident["kind"];
  const at = Math.round(random() * 9 * minuteMs);
  return { kind, calls: "half", at, ms: Math.round(random() * longestIncidentMs) };
}

/** In every twelfth life, the code host refuses all calls, or all changes, for up to four hours. */
function drawLongIncident(plan: ServicePlan): ServicePlan {
  const random = createRandomSource(plan.seed * 540_000_001 + 41);
  const [chance, which, start, length, more] = [random(), random(), random(), random(), random()];
  if (chance >= 0.08 || plan.downtime) return plan;
  const kind = (["unavailable", "denied", "not_found"] as const)[Math.floor(which * 3)] ?? "denied";
  const ms = Math.round((10 + length * 230) * minuteMs);
  const calls = more < 0.5 ? "changes" : "all";
  const incident = { kind, calls, at: Math.round(start * 9 * minuteMs), ms } as const;
  return { ...plan, incident, calmFrom: plan.calmFrom + ms };
}

/** Rarely used features, in half of the lives: settings, dependencies between pull requests, and a freeze. */
function drawFeatures(plan: ServicePlan): ServicePlan {
  const random = createRandomSource(plan.seed * 413_158_511 + 2_887);
  if (random() < 0.5) return plan;
  const { batchSizing, ...others } = drawSettings(random);
  const isTroubled = plan.flake !== null || plan.mishap !== null || plan.outage !== null;
  // With batches by load, the strategy may be `beliefs`, which may blame a pull request for a flake and for a failure of one behind it.
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
