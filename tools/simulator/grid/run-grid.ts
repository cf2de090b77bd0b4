import { renderViolations } from "../../../src/replay/render-replay.ts";
import type { SimulateOptions } from "../options.ts";
import type { PolicyName } from "../run-policy.ts";
import { type Preset, presets } from "../workload/model.ts";
import type { Cell, CellResult } from "./cell.ts";
import { renderCells, renderTotals } from "./render-grid.ts";
import { runCells } from "./run-cells.ts";
import { totalOf } from "./totals.ts";

const rates = [100, 200, 300, 500];
const workerCounts = [100, 200, 400];

/** Runs the grid of loads against the oracle. Returns the exit code. */
export async function runGrid(options: SimulateOptions): Promise<number> {
  const policies = new Set<PolicyName>(["oracle", ...options.policies]);
  const cells = cellsOf(options, [...policies]);
  console.error(`${cells.length} workloads, each through ${[...policies].join(", ")}`);
  const found = await runCells<Cell, readonly CellResult[]>(cells, "cell-worker", (some) => {
    for (const result of some) if (options.json) console.log(JSON.stringify({ type: "cell", ...result }));
  });
  const results = found.flat();
  const totals = [...policies].map((policy) => totalOf(policy, results));
  if (options.json) for (const total of totals) console.log(JSON.stringify({ type: "total", ...total }));
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
