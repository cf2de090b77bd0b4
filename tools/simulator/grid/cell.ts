import type { QueueSettings } from "../../../src/engine/model/settings.ts";
import { queueSettings } from "../../../src/replay/engine-run/queue-settings.ts";
import type { Summary } from "../../../src/replay/outcome.ts";
import { figure } from "../../../src/replay/render-replay.ts";
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

/** The result of a policy over all cells. Ratios are geometric means over cells and seeds. */
export interface Total {
  readonly policy: string;
  readonly cells: number;
  readonly p50ToOracle: number;
  readonly p95ToOracle: number;
  readonly p99ToOracle: number;
  readonly falseRejectionPercent: number;
  readonly ciMinutesPerMerged: number;
  /** Sum over the loads, average over the seeds. */
  readonly mergedPerHour: number;
  readonly broken: number;
  readonly violations: number;
  readonly wallMs: number;
}

export function totalOf(policy: string, results: readonly CellResult[]): Total {
  const own = results.filter((result) => result.policy === policy);
  const seeds = new Set(own.map(({ seed }) => seed)).size;
  const ratio = (key: "p50" | "p95" | "p99") =>
    geometricMean(
      own.map((result) => (result[key] ?? Number.NaN) / (oracleOf(result, results)[key] ?? Number.NaN)),
    );
  return {
    policy,
    cells: own.length,
    p50ToOracle: ratio("p50"),
    p95ToOracle: ratio("p95"),
    p99ToOracle: ratio("p99"),
    falseRejectionPercent: mean(own.map((one) => (100 * one.falseRejections) / one.pullRequests)),
    ciMinutesPerMerged: geometricMean(own.map((one) => one.ciMinutesPerMerged ?? Number.NaN)),
    mergedPerHour: sum(own.map((one) => one.mergedPerHour)) / seeds,
    broken: sum(own.map((one) => one.broken)),
    violations: sum(own.map((one) => one.violations.length)),
    wallMs: sum(own.map((one) => one.wallMs)),
  };
}

/** Returns the oracle's result for the same workload. */
export function oracleOf({ rate, workers, seed }: CellResult, results: readonly CellResult[]): CellResult {
  const found = results.find(
    (one) => one.policy === "oracle" && one.rate === rate && one.workers === workers && one.seed === seed,
  );
  if (!found) throw new Error(`the oracle did not run ${rate} PRs/h on ${workers} workers with seed ${seed}`);
  return found;
}

export function geometricMean(values: readonly number[]): number {
  return Math.exp(mean(values.map((value) => Math.log(value))));
}

export function mean(values: readonly number[]): number {
  return sum(values) / values.length;
}

export function sum(values: readonly number[]): number {
  return values.reduce((all, value) => all + value, 0);
}

const cellHead = `| PR/h | workers | policy | P50/P95/P99 min | x oracle | merged/h | CI min/merged | runs/PR | false rej % | broken |
|---|---|---|---|---|---|---|---|---|---|`;

const totalHead = `| policy | x P50 | x P95 | x P99 | false rej % | CI min/merged | merged/h (sum) | broken | violations | wall s |
|---|---|---|---|---|---|---|---|---|---|`;

/** Renders one row for each load and policy, averaged over the seeds. */
export function renderCells(results: readonly CellResult[]): string {
  const groups = Map.groupBy(results, ({ rate, workers, policy }) => `${rate} ${workers} ${policy}`);
  const rows = [...groups.values()].sort(([a], [b]) => place(a) - place(b));
  return [cellHead, ...rows.map((group) => renderCell(group, results))].join("\n");
}

export function renderTotals(totals: readonly Total[]): string {
  const rows = totals.map((total) =>
    row(
      total.policy,
      figure(total.p50ToOracle, 2),
      figure(total.p95ToOracle, 2),
      figure(total.p99ToOracle, 2),
      figure(total.falseRejectionPercent, 2),
      figure(total.ciMinutesPerMerged),
      figure(total.mergedPerHour, 0),
      `${total.broken}`,
      `${total.violations}`,
      figure(total.wallMs / 1000),
    ),
  );
  return [totalHead, ...rows].join("\n");
}

function renderCell(group: readonly CellResult[], results: readonly CellResult[]): string {
  const [first] = group;
  const average = (of: (one: CellResult) => number | null) => mean(group.map((one) => of(one) ?? Number.NaN));
  const ratio = (key: "p50" | "p95" | "p99") =>
    geometricMean(group.map((one) => (one[key] ?? Number.NaN) / (oracleOf(one, results)[key] ?? Number.NaN)));
  const keys = ["p50", "p95", "p99"] as const;
  return row(
    `${first?.rate}`,
    `${first?.workers}`,
    `${first?.policy}`,
    keys
      .map((key) =>
        figure(
          average((one) => one[key]),
          0,
        ),
      )
      .join("/"),
    keys.map((key) => figure(ratio(key), 2)).join("/"),
    figure(
      average((one) => one.mergedPerHour),
      0,
    ),
    figure(average((one) => one.ciMinutesPerMerged)),
    figure(
      average((one) => one.runsPerPr),
      2,
    ),
    figure(
      average((one) => (100 * one.falseRejections) / one.pullRequests),
      2,
    ),
    `${group.reduce((all, { broken }) => all + broken, 0)}`,
  );
}

function place(result: CellResult | undefined): number {
  return (result?.rate ?? 0) * 1_000_000 + (result?.workers ?? 0);
}

function row(...fields: readonly string[]): string {
  return `| ${fields.join(" | ")} |`;
}
