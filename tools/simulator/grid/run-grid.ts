import { writeFileSync } from "node:fs";
import { printJson } from "../../../src/cli/print-json.ts";
import { renderViolations } from "../../../src/replay/render-replay.ts";
import { runOnAllCores } from "../all-cores.ts";
import type { SimulateOptions } from "../options.ts";
import { Progress } from "../progress.ts";
import type { PolicyName } from "../run-policy.ts";
import { type Preset, presets } from "../workload/model.ts";
import { type Cell, type CellResult, renderCells, renderTotals, totalOf } from "./cell.ts";
import type { SmallCell, SmallResult } from "./small-cell.ts";
import { renderHeatMap, renderSmallGrid } from "./small-grid.ts";

const rates = [100, 200, 300, 500];
const workerCounts = [100, 200, 400];

/** Runs the grid of loads against the oracle. Returns the exit code. */
export async function runGrid(options: SimulateOptions): Promise<number> {
  const policies = new Set<PolicyName>(["oracle", ...options.policies]);
  const cells = cellsOf(options, [...policies]);
  console.error(`${cells.length} workloads, each through ${[...policies].join(", ")}`);
  const found = await runCells<Cell, readonly CellResult[]>("cell", cells, (some) => {
    for (const result of some) if (options.json) printJson({ type: "cell", ...result });
  });
  const results = found.flat();
  const totals = [...policies].map((policy) => totalOf(policy, results));
  if (options.json) for (const total of totals) printJson({ type: "total", ...total });
  console.error(`\n${renderCells(results)}\n\n${renderTotals(totals)}`);
  const violations = results.flatMap(({ rate, workers, seed, policy, violations: found }) =>
    found.map((text) => `${policy} at ${rate} PRs/h on ${workers} workers, seed ${seed}: ${text}`),
  );
  if (violations.length > 0) console.error(`\n${renderViolations(violations)}`);
  return violations.length === 0 ? 0 : 1;
}

/** Orders the heaviest cells first, so that no processor runs a long one alone at the end. */
function cellsOf({ source, model, queue, seeds }: SimulateOptions, policies: readonly PolicyName[]): Cell[] {
  const preset: Preset = presets["preset" in source ? source.preset : "github"];
  const { mode } = preset;
  return (model.rate ? [model.rate] : rates.toReversed()).flatMap((rate) =>
    (model.workers ? [model.workers] : workerCounts).flatMap((workers) =>
      seeds.map((seed) => ({
        model: { ...preset.model, ...model, rate, workers, seed },
        mode,
        queue,
        policies,
      })),
    ),
  );
}

/** @param tell called with each result as it arrives */
async function runCells<Cell, Result>(
  work: "cell" | "smallCell",
  cells: readonly Cell[],
  tell: (result: Result) => void,
): Promise<Result[]> {
  const results: Result[] = [];
  const progress = new Progress(process.stderr, "workloads:");
  await runOnAllCores(work, cells, (found: Result) => {
    results.push(found);
    progress.end();
    tell(found);
    progress.advance(results.length, cells.length);
  });
  progress.end();
  return results;
}

const smallRates = [1, 2, 5, 10, 20];
const slotCounts = [1, 2, 4, 8];
const durations = [0.5, 5, 25, 90];
const faults = [
  { bad: 0.02, flakeRate: 0.01 },
  { bad: 0.08, flakeRate: 0.01 },
  { bad: 0.25, flakeRate: 0.1 },
];

/** Runs small teams of every kind through Trainyard's policies and simple ones. Returns the exit code. */
export async function runSmallGrid({ seeds, json, picture }: SimulateOptions): Promise<number> {
  const cells = smallCellsOf(seeds);
  console.error(`${cells.length} loads of small teams, seeds ${seeds.join(", ")}`);
  const results = await runCells<SmallCell, SmallResult>("smallCell", cells, (result) => {
    if (json) printJson({ type: "cell", ...result });
  });
  console.error(`\n${renderSmallGrid(results)}`);
  if (picture !== null) writeFileSync(picture, renderHeatMap(results));
  const violations = results.flatMap((result) => result.violations);
  if (violations.length > 0) console.error(`\n${renderViolations(violations)}`);
  return violations.length === 0 ? 0 : 1;
}

/** Orders the busiest cells first, so that no processor runs a long one alone at the end. */
function smallCellsOf(seeds: readonly number[]): SmallCell[] {
  return smallRates.toReversed().flatMap((rate) =>
    slotCounts.flatMap((slots) =>
      durations.flatMap((minutes) =>
        faults.flatMap((fault) =>
          (["single", "parallel"] as const).map((mode) => ({
            mode,
            rate,
            slots,
            minutes,
            ...fault,
            seeds,
          })),
        ),
      ),
    ),
  );
}
