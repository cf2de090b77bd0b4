import type { SimulatedPullRequest, Workload, WorkloadSettings } from "../../src/replay/workload/workload.ts";
import { generateWorkload } from "../../tools/simulator/workload/generate-workload.ts";
import { presets, type WorkloadModel } from "../../tools/simulator/workload/model.ts";

/** A small workload with bad pull requests, conflicts and flakes. */
export function smallWorkload(changes: Partial<WorkloadModel> = {}): Workload {
  const model = {
    rate: 30,
    hours: 3,
    workers: 12,
    bad: 0.1,
    flakeRate: 0.03,
    pairShare: 0.1,
    conflictShare: 0.1,
  };
  return generateWorkload({ ...presets.github.model, ...model, ...changes });
}

export interface Written {
  readonly settings?: Partial<WorkloadSettings>;
  /** In the order of submission, a minute apart. */
  readonly pullRequests: readonly Partial<SimulatedPullRequest>[];
  readonly conflicts?: readonly (readonly [number, number])[];
  readonly cancellations?: readonly (readonly [n: number, at: number])[];
}

/** A workload written by hand. By default the pull requests #1, #2, … are good and take ten minutes each. */
export function writtenWorkload({
  settings,
  pullRequests,
  conflicts = [],
  cancellations = [],
}: Written): Workload {
  return {
    settings: {
      workers: 4,
      flakeRate: 0,
      scope: "tree",
      hours: 1,
      seed: 1,
      resubmitMinutes: 30,
      durationNoise: 0,
      ...settings,
    },
    pullRequests: pullRequests.map((one, index) => ({
      n: index + 1,
      at: index,
      targets: "ALL",
      fails: false,
      minutes: 10,
      priority: 100,
      risk: null,
      ...one,
    })),
    conflicts: conflicts.map(([a, b]) => ({ a, b })),
    cancellations: cancellations.map(([n, at]) => ({ n, at })),
  };
}
