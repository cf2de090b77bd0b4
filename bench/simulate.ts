import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { geometricMean } from "../tools/simulator/grid/cell.ts";
import type { SmallResult } from "../tools/simulator/grid/small-cell.ts";
import { bestOfOthers } from "../tools/simulator/grid/small-grid.ts";
import type { Benchmark, Row } from "./benchmark.ts";
import { rounded } from "./statistics.ts";

const main = join(import.meta.dirname, "../src/main.ts");
const picture = join(import.meta.dirname, "small-teams.svg");
/** Seeds that were not used for tuning. */
const seeds = { small: "971,972,973", large: "11" };

const about = `pull requests per hour from 1 to 500, simulated: minutes from submission to merge. About ten minutes.
small-p50, small-p95   small teams, 480 loads; floor: the best plain rule or a queue like GitHub's in each load; required: at most
                       1.05 in each. The picture of all loads is bench/small-teams.svg
large-p95              100 to 500 an hour on 100 to 400 workers; floor: submitqueue; required: at most 1.02 in each
Values and floors are geometric means over the loads; the percentiles are of the loads' ratios.`;

interface LargeResult {
  readonly type: string;
  readonly policy: string;
  readonly rate: number;
  readonly workers: number;
  readonly p95: number | null;
}

export const simulate: Benchmark = {
  about,
  async *measure(tell) {
    tell("small teams");
    const small: SmallResult[] = await lines(["--small-grid", "--seeds", seeds.small, "--picture", picture]);
    for (const key of ["p50", "p95"] as const) {
      const ours = small.map(({ figures }) => figures.ours[key]);
      const others = small.map((result) => bestOfOthers(result, "ours", key));
      yield compare(`small-${key}`, ours, others);
    }
    tell("100 to 500 pull requests an hour");
    const all: LargeResult[] = await lines([
      "--grid",
      "--seeds",
      seeds.large,
      "--policy",
      "ours,submitqueue",
    ]);
    const p95Of = (policy: string) =>
      all
        .filter((one) => one.type === "cell" && one.policy === policy)
        .sort((a, b) => a.rate - b.rate || a.workers - b.workers)
        .map(({ p95 }) => p95 ?? Number.NaN);
    yield compare("large-p95", p95Of("ours"), p95Of("submitqueue"));
  },
};

/** Returns the JSON output of a simulation, one object per line. Its tables go to the terminal. */
async function lines<Line>(args: readonly string[]): Promise<Line[]> {
  const child = spawn(process.execPath, [main, "simulate", ...args, "--json"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const closed = once(child, "close");
  const found: Line[] = [];
  for await (const line of createInterface({ input: child.stdout })) found.push(JSON.parse(line));
  const [code] = await closed;
  if (code !== 0) throw new Error(`the simulation ended with ${code}`);
  return found;
}

function compare(name: string, values: readonly number[], floors: readonly number[]): Row {
  const ratios = values.map((value, index) => value / (floors[index] ?? Number.NaN)).sort((a, b) => a - b);
  const at = (share: number) => rounded(ratios[Math.ceil(share * ratios.length) - 1] ?? Number.NaN);
  return {
    name,
    value: rounded(geometricMean(values)),
    unit: "min",
    floor: rounded(geometricMean(floors)),
    ratio: rounded(geometricMean(ratios)),
    runs: ratios.length,
    ...{ p50: at(0.5), p95: at(0.95), p99: at(0.99) },
  };
}
