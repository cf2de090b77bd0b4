import { defaultSettings, type QueueSettings } from "../../../src/engine/model/settings.ts";
import { callMinutes, runEngine } from "../../../src/replay/engine-run/engine-run.ts";

import type { Outcome } from "../../../src/replay/outcome.ts";
import type { Workload } from "../../../src/replay/workload/workload.ts";
import { runReference } from "../reference/run-reference.ts";
import { generateWorkload } from "../workload/generate-workload.ts";
import { presets, type WorkloadModel } from "../workload/model.ts";

/** One load of a small team, drawn with several seeds. */
export interface SmallCell {
  readonly mode: QueueSettings["mode"];
  /** Pull requests per hour. */
  readonly rate: number;
  /** Slots of the queue for each kind of run, and maximum number of runs in CI at once. */
  readonly slots: number;
  /** Median duration of a test. */
  readonly minutes: number;
  readonly bad: number;
  readonly flakeRate: number;
  readonly seeds: readonly number[];
}

export type SmallPolicy = keyof typeof queues | "github" | "oracle";

/** The result of a policy in a cell: minutes over all seeds, and the share of good pull requests that it rejected, in percent. */
export interface SmallFigures {
  readonly p50: number;
  readonly p95: number;
  readonly falseRejections: number;
}

export interface SmallResult extends SmallCell {
  readonly figures: Readonly<Record<SmallPolicy, SmallFigures>>;
  readonly violations: readonly string[];
}

/** Batches as large as the load demands, as in a new queue. */
export const byLoad = {
  batch: true,
  batchSizing: "by_load",
  optimizationMode: "bisection_skip_redundant_tests",
} as const;

/** Trainyard's queues: with a new queue's settings, without batches, and with simple rules. */
const queues = {
  ours: { policy: "adaptive", ...byLoad },
  unbatched: { policy: "adaptive" },
  fixed: { policy: "fixed" },
  batches: {
    policy: "fixed",
    batch: true,
    batchingMinSize: 4,
    optimizationMode: "bisection_skip_redundant_tests",
  },
} as const satisfies Record<string, Partial<QueueSettings>>;

/** The number of pull requests in each cell and seed, within these bounds of hours. */
const enough = 100;
const hours = { least: 8, most: 48 };
/** Latencies count only after this time, because the queue fills first. */
const warmUpMinutes = 60;

/** Runs a cell through Trainyard's policies and those that it is compared with. */
export function runSmallCell(cell: SmallCell): SmallResult {
  const workloads = cell.seeds.map((seed) => workloadOf(cell, seed));
  const violations: string[] = [];
  const run = (play: (workload: Workload) => Outcome): SmallFigures => {
    const outcomes = workloads.map(play);
    violations.push(...outcomes.flatMap((outcome) => outcome.violations));
    return figuresOf(outcomes);
  };
  const ours = (name: keyof typeof queues) =>
    run((workload) => runEngine(workload, settingsOf(cell, queues[name])));
  const figures = {
    ours: ours("ours"),
    unbatched: ours("unbatched"),
    fixed: ours("fixed"),
    batches: ours("batches"),
    // Calls to GitHub take the same time for every queue. Only the oracle has none.
    github: run((workload) => runReference(workload, "github", callMinutes)),
    oracle: run((workload) => runReference(workload, "oracle")),
  };
  return { ...cell, figures, violations };
}

function settingsOf({ mode, slots }: SmallCell, changes: Partial<QueueSettings>): QueueSettings {
  return { ...defaultSettings, mode, concurrency: slots, bisectionConcurrency: slots, ...changes };
}

function workloadOf({ rate, slots, minutes, bad, flakeRate, mode }: SmallCell, seed: number): Workload {
  const model: WorkloadModel = {
    ...presets.github.model,
    seed,
    rate,
    hours: Math.min(hours.most, Math.max(hours.least, enough / rate)),
    workers: slots,
    bad,
    flakeRate,
    pairShare: mode === "single" ? presets.github.model.pairShare : 0.1,
    minutes: { median: minutes, sigma: 0, min: minutes / 5, max: minutes * 5 },
  };
  return withoutRisks(generateWorkload(model));
}

/** Removes the predicted risks, because the service predicts none. */
export function withoutRisks(workload: Workload): Workload {
  return { ...workload, pullRequests: workload.pullRequests.map((one) => ({ ...one, risk: null })) };
}

function figuresOf(outcomes: readonly Outcome[]): SmallFigures {
  const all = outcomes.flatMap(({ pullRequests }) => pullRequests);
  const counted = all.filter(({ ending, at }) => ending === "merged" && at >= warmUpMinutes);
  const minutes = counted.map(({ at, endedAt }) => (endedAt ?? Number.NaN) - at).sort((a, b) => a - b);
  const quantile = (share: number) =>
    minutes[Math.min(minutes.length - 1, Math.floor(share * minutes.length))] ?? Number.NaN;
  const falsely = all.reduce((sum, one) => sum + one.falseRejections, 0);
  return { p50: quantile(0.5), p95: quantile(0.95), falseRejections: (100 * falsely) / all.length };
}
