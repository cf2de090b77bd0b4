import type { QueueSettings } from "../../../src/engine/model/settings.ts";
import { queueSettings } from "../../../src/replay/engine-run/queue-settings.ts";
import type { Summary } from "../../../src/replay/summary.ts";
import { type PolicyName, runPolicy } from "../run-policy.ts";
import { generateWorkload } from "../workload/generate-workload.ts";
import type { WorkloadModel } from "../workload/model.ts";

/** One load and one draw of it, to be run through several policies. */
export interface Cell {
  readonly model: WorkloadModel;
  readonly mode: QueueSettings["mode"];
  /** What is asked of our queue; null = nothing. */
  readonly queue: Partial<QueueSettings> | null;
  readonly policies: readonly PolicyName[];
}

/** What a policy made of a cell. */
export interface CellResult extends Summary {
  readonly rate: number;
  readonly workers: number;
  readonly seed: number;
  readonly pullRequests: number;
  readonly violations: readonly string[];
}

export function runCell({ model, mode, queue, policies }: Cell): CellResult[] {
  const workload = generateWorkload(model);
  const settings = queueSettings(mode, model, queue);
  return policies.map((policy) => {
    const { outcome, summary } = runPolicy(policy, workload, settings);
    const { rate, workers, seed } = model;
    const { violations, pullRequests } = outcome;
    return { ...summary, rate, workers, seed, pullRequests: pullRequests.length, violations };
  });
}
