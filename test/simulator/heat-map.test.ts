import { expect, test } from "@jest/globals";
import type { SmallFigures, SmallResult } from "../../tools/simulator/grid/small-cell.ts";
import { renderHeatMap } from "../../tools/simulator/grid/small-grid.ts";

const minutes = (p50: number, p95: number): SmallFigures => ({ p50, p95, falseRejections: 0 });

/** A load with the given figures of ours. The other policies have fixed figures, mostly 10 and 40 minutes. */
function loadOf(rate: number, slots: number, ours: SmallFigures): SmallResult {
  const other = minutes(10, 40);
  return {
    ...{ mode: "single", rate, slots, minutes: 5, bad: 0.02, flakeRate: 0.01, seeds: [1], violations: [] },
    figures: { ours, unbatched: other, fixed: other, batches: minutes(15, 80), github: other, oracle: other },
  };
}

test("the heat map has a field for each figure, in the order of the loads, which is blue where ours is faster", () => {
  const svg = renderHeatMap([loadOf(10, 1, minutes(20, 40)), loadOf(2, 4, minutes(5, 40))]);
  const fields = [...svg.matchAll(/<rect x="(\d+)".*?fill="(.*?)"\/><text.*?>([\d.]+)</g)];
  expect(fields.map(([, , colour, ratio]) => [ratio, colour])).toEqual([
    ["0.50", "rgb(77,133,189)"],
    ["1.00", "rgb(255,255,255)"],
    ["2.00", "rgb(193,70,85)"],
    ["1.00", "rgb(255,255,255)"],
  ]);
  expect(Number(fields[0]?.[1])).toBeLessThan(Number(fields[2]?.[1]));
  expect(svg).toContain("single mode, 2 % bad, 1 % flaky");
  expect(svg).toContain(">2/h·4<");
});
