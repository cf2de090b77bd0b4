import type { QueueSettings } from "../../../src/engine/model/settings.ts";
import { queueSettings } from "../../../src/replay/engine-run/queue-settings.ts";
import type { Summary } from "../../../src/replay/outcome.ts";
import { type PolicyName, runPolicy } from "../run-policy.ts";
import { generateWorkload } from "../workload/generate-workload.ts";
import type { WorkloadModel } from "../workload/model.ts";

/** One load with one seed, for several policies. */
export interface Cell {
  readonly model: WorkloadModel;
  readonly mode: QueueSettings["mode"];
  /** Settings for Trainyard's queue; null = the recommended ones. */
  readonly queue: Partial<QueueSettings> | null;
  readonly policies: readonly PolicyName[];
}

/** The result of a policy in a cell. */
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
