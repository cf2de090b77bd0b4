import { writeFileSync } from "node:fs";
import { renderViolations } from "../../../src/replay/render-replay.ts";
import { renderHeatMap } from "./heat-map.ts";
import { renderSmallGrid } from "./render-small-grid.ts";
import { runCells } from "./run-cells.ts";
import type { SmallCell, SmallResult } from "./small-cell.ts";

const rates = [1, 2, 5, 10, 20];
const slotCounts = [1, 2, 4, 8];
const durations = [0.5, 5, 25, 90];
const faults = [
  { bad: 0.02, flakeRate: 0.01 },
  { bad: 0.08, flakeRate: 0.01 },
  { bad: 0.25, flakeRate: 0.1 },
];

/** Runs small teams of every kind through Trainyard's policies and simple ones. Returns the exit code. */
export async function runSmallGrid({
  seeds,
  json,
  picture,
}: {
  readonly seeds: readonly number[];
  readonly json: boolean;
  /** File for the heat map; null = none. */
  readonly picture: string | null;
}): Promise<number> {
  const cells = cellsOf(seeds);
  console.error(`${cells.length} loads of small teams, seeds ${seeds.join(", ")}`);
  const results = await runCells<SmallCell, SmallResult>(cells, "small-cell-worker", (result) => {
    if (json) console.log(JSON.stringify({ type: "cell", ...result }));
  });
  console.error(`\n${renderSmallGrid(results)}`);
  if (picture !== null) writeFileSync(picture, renderHeatMap(results));
  const violations = results.flatMap((result) => result.violations);
  if (violations.length > 0) console.error(`\n${renderViolations(violations)}`);
  return violations.length === 0 ? 0 : 1;
}

/** Orders the busiest cells first, so that no processor runs a long one alone at the end. */
function cellsOf(seeds: readonly number[]): SmallCell[] {
  return rates.toReversed().flatMap((rate) =>
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
