import { defaultSettings, type QueueSettings } from "../src/engine/model/settings.ts";
import type { Workload } from "../src/replay/workload/workload.ts";
import { sum } from "../tools/simulator/grid/cell.ts";
import { byLoad, withoutRisks } from "../tools/simulator/grid/small-cell.ts";
import { type PolicyName, runPolicy } from "../tools/simulator/run-policy.ts";
import { generateWorkload } from "../tools/simulator/workload/generate-workload.ts";
import { presets } from "../tools/simulator/workload/model.ts";
import type { Benchmark, Row } from "./benchmark.ts";
import { percentile, rounded } from "./statistics.ts";

/** Seeds that were not used for tuning. */
const seeds = [971, 972, 973, 974];
const rates = [1, 6, 20];
const minutes = [2, 25, 60];
const flakeRates = [0, 0.01];

type Queue = Pick<QueueSettings, "mode" | "concurrency"> & Partial<QueueSettings>;
const queues: readonly Queue[] = [
  { mode: "single", concurrency: 1 },
  { mode: "single", concurrency: 1, ...byLoad },
  { mode: "single", concurrency: 2, ...byLoad },
  { mode: "single", concurrency: 5, ...byLoad },
  { mode: "single", concurrency: 8, ...byLoad },
  { mode: "parallel", concurrency: 4, ...byLoad },
  { mode: "parallel", concurrency: 8 },
  { mode: "parallel", concurrency: 16, ...byLoad },
];

/** One simulated outage: a queue, its load, and the draw. */
interface Outage {
  readonly queue: Queue;
  readonly workload: Workload;
}

export const outage: Benchmark = {
  about: `good pull requests that an hour in which every test fails removes, in 96 simulated outages for each row: 1, 6 and 20 pull
requests an hour, eight kinds of queues, four draws, no bad pull requests. Half a minute.
outage-2m, outage-25m, outage-60m   tests of 2, 25 and 60 minutes without flakes; required: none
outage-…-flaky                      the same with 1 % flakes
The floor is a queue like GitHub's. The percentiles are of the single outages.`,
  async *measure(tell) {
    for (const flakeRate of flakeRates)
      for (const median of minutes) {
        tell(`tests of ${median} minutes, ${flakeRate * 100} % flakes`);
        const name = `outage-${median}m${flakeRate > 0 ? "-flaky" : ""}`;
        yield compare(name, outages(median, flakeRate));
      }
  },
};

function outages(median: number, flakeRate: number): Outage[] {
  const { model } = presets.outage;
  return rates.flatMap((rate) =>
    queues.flatMap((queue) =>
      seeds.map((seed) => {
        const tests = { ...model.minutes, median, min: median / 5, max: median * 5 };
        const workers = Math.max(2, queue.concurrency);
        const drawn = { ...model, seed, rate, workers, minutes: tests, flakeRate, hours: 8, bad: 0 };
        return { queue, workload: withoutRisks(generateWorkload(drawn)) };
      }),
    ),
  );
}

function compare(name: string, all: readonly Outage[]): Row {
  const ours = all.map((one) => removedBy("ours", one));
  const value = sum(ours);
  const floor = sum(all.map((one) => removedBy("github", one)));
  const at = (share: number) => percentile(ours, share);
  const percentiles = { p50: at(0.5), p95: at(0.95), p99: at(0.99) };
  const ratio = rounded(value / floor);
  return { name, value, unit: "pull requests", floor, ratio, runs: all.length, ...percentiles };
}

function removedBy(policy: PolicyName, { queue, workload }: Outage): number {
  const { outcome, summary } = runPolicy(policy, workload, settingsOf(queue));
  if (outcome.violations.length > 0) throw new Error(outcome.violations.join("; "));
  return summary.falseRejections;
}

const settingsOf = (queue: Queue): QueueSettings => ({
  ...defaultSettings,
  bisectionConcurrency: queue.concurrency,
  ...queue,
});
