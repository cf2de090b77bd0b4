import {
  beta,
  createRandomSource,
  draw,
  exponential,
  normal,
  type RandomSource,
} from "../../../src/replay/workload/random-source.ts";
import { Neighbourhood } from "../../../src/replay/workload/roster.ts";
import type {
  ConflictPair,
  SimulatedPullRequest,
  Targets,
  Workload,
} from "../../../src/replay/workload/workload.ts";
import { makeWild } from "./make-wild.ts";
import type { WorkloadModel } from "./model.ts";

type Submission = Pick<SimulatedPullRequest, "n" | "at" | "fails" | "minutes"> & { readonly risk: number };

/** Draws a workload. The same model gives the same workload on any machine. */
export function generateWorkload(model: WorkloadModel): Workload {
  const workload = generateTame(model);
  return model.wild ? makeWild(workload, model.wild) : workload;
}

function generateTame(model: WorkloadModel): Workload {
  const random = createRandomSource(model.seed * 7919 + 17);
  const submissions = calibrated(drawSubmissions(model, random), model.bad);
  const targets = drawTargets(model, submissions.length, random);
  const { seed, workers, flakeRate, scope, hours, resubmitMinutes, durationNoise } = model;
  return {
    settings: { workers, flakeRate, scope, hours, seed, resubmitMinutes, durationNoise },
    pullRequests: submissions.map((submission, index) => ({
      ...submission,
      targets: targets[index] ?? [],
      priority: 100,
    })),
    conflicts: drawConflicts(model, targets),
    cancellations: [],
  };
}

function drawSubmissions(model: WorkloadModel, random: RandomSource): Submission[] {
  const { median, sigma, min, max } = model.minutes;
  const submissions: Submission[] = [];
  let at = 0;
  for (let n = 1; n <= Math.round(model.rate * model.hours); n++) {
    at += exponential(random) * (60 / model.rate);
    const minutes = clamped(median * Math.exp(sigma * normal(random)), min, max);
    const risk = model.bad <= 0 ? 0 : clamped(beta(random, model.bad, model.riskConcentration), 0.0005, 0.98);
    const fails = random() < risk;
    submissions.push({ n, at, fails, minutes, risk: seenRisk(model, risk, random) });
  }
  return submissions;
}

/** Returns the risk that a predictor sees, which differs from the true one. */
function seenRisk(model: WorkloadModel, risk: number, random: RandomSource): number {
  if (model.bad <= 0) return 0.001;
  const clear = clamped(risk, 0.003, 0.95);
  const logOdds = Math.log(clear / (1 - clear)) + model.riskNoise * normal(random);
  return clamped(1 / (1 + Math.exp(-logOdds)), 0.003, 0.95);
}

/** Scales the risks to the true average, because a predictor that keeps learning is right on average. */
function calibrated(submissions: readonly Submission[], bad: number): Submission[] {
  if (bad <= 0) return [...submissions];
  const mean = submissions.reduce((sum, { risk }) => sum + risk, 0) / submissions.length;
  return submissions.map((one) => ({ ...one, risk: Math.min(0.95, (one.risk * bad) / mean) }));
}

function clamped(value: number, min: number, max: number): number {
  return Math.min(max, Math.max(min, value));
}

/**
 * Maximum distance of a hidden conflict. Pull requests further apart do not conflict, because the earlier one merged before the
 * later one was written.
 */
const hiddenReachHours = 3;

/** Draws which pull requests conflict: some that share a target, and some that share none although they should. */
function drawConflicts(model: WorkloadModel, targets: readonly Targets[]): ConflictPair[] {
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
