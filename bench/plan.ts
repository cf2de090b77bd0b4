import type { QueueSettings } from "../src/engine/model/settings.ts";
import type { QueueStore } from "../src/store/queue/queue-store.ts";
import type { Benchmark } from "./benchmark.ts";
import { BusyQueue } from "./busy-queue.ts";
import { clusteredImpact, heavyImpact } from "./impact.ts";
import { toRow } from "./statistics.ts";

const lengths = [100, 1_000, 10_000] as const;
const runs = 5;
const inputsPerRun = 1_000;
const warmUp = 2_000;
const slots = { concurrency: 20, bisectionConcurrency: 10 };

type Scenario = { readonly settings: Partial<QueueSettings>; readonly impact: typeof clusteredImpact };

const fixed: Readonly<Record<string, Scenario>> = {
  single: { settings: { mode: "single" }, impact: clusteredImpact },
  "single-batch": { settings: { mode: "single", batch: true }, impact: clusteredImpact },
  "single-by-load": {
    settings: { mode: "single", batch: true, batchSizing: "by_load", concurrency: 5 },
    impact: clusteredImpact,
  },
  parallel: { settings: { mode: "parallel" }, impact: clusteredImpact },
  "parallel-batch": { settings: { mode: "parallel", batch: true }, impact: clusteredImpact },
  "parallel-heavy": { settings: { mode: "parallel", batch: true }, impact: heavyImpact },
};

const scenarios = Object.entries(fixed).flatMap(([name, { settings, impact }]) => [
  { name, settings: { ...settings, policy: "fixed" as const }, impact },
  { name: `adaptive-${name}`, settings: { ...settings, policy: "adaptive" as const }, impact },
]);

const about = `one input in a queue of ${lengths.join(", ")} pull requests with 1,000 targets each, ${slots.concurrency} tested at once: all that
the service does about it, except waiting for the disk. At most 1 ms (p50) and 10 ms (p99) are required, and a growth of 3.
plan-single-N, plan-single-batch-N        one line
plan-single-by-load-N                     one line of five slots, as createQueue makes it without settings
plan-parallel-N, plan-parallel-batch-N    lanes of four
plan-parallel-heavy-N                     three of ten share a target with one another besides
plan-adaptive-…                           the same with the policy adaptive; the others have fixed
Floor: the same with ${lengths[0]} pull requests; so the ratio is the growth. The value is a mean, rare snapshots included.`;

export const plan: Benchmark = {
  about,
  async *measure(tell) {
    for (const { name, settings, impact } of scenarios) {
      let floors: number[] | null = null;
      for (const length of lengths) {
        tell(`${name}: ${length} pull requests`);
        const queue = new BusyQueue(forgetfulStore(), impact(length));
        await queue.fill(length, { ...slots, ...settings });
        for (let i = 0; i < warmUp; i++) await queue.step();
        const values: number[] = [];
        const singles: number[] = [];
        for (let run = 0; run < runs; run++) {
          const began = singles.length;
          for (let i = 0; i < inputsPerRun; i++) singles.push(await queue.step());
          const sum = singles.slice(began).reduce((total, one) => total + one, 0);
          values.push(sum / inputsPerRun);
        }
        tell(`${queue.merged} merged, ${await queue.lineLength()} in the line`);
        if (queue.merged === 0) throw new Error("nothing merged");
        floors ??= values;
        yield toRow(`plan-${name}-${length}`, "ms/input", { values, floors, singles });
      }
    }
  },
};

/** Serialises the rows that would be written, and keeps nothing. */
function forgetfulStore(): QueueStore {
  const store: Pick<QueueStore, keyof QueueStore> = {
    find: async () => null,
    get: async () => null,
    list: async () => [],
    load: async () => ({ snapshot: null, events: [] }),
    eventsAfter: async () => [],
    targets: async () => new Map(),
    tally: async () => null,
    commit: async ({ events, entries, tasks }) => {
      for (const row of [...events, ...entries.map((entry) => ({ ...entry, targets: null })), ...tasks])
        JSON.stringify(row);
      return "committed";
    },
    saveSnapshot: async () => {},
    lastEntry: async () => null,
    lastEntryOfBranch: async () => null,
    endedEntries: async () => [],
    findRun: async () => null,
    findRuns: async () => [],
    entryEvents: async () => ({ events: [], omitted: 0 }),
    stopsBetween: async () => [],
    listEntries: async () => [],
  };
  return store as QueueStore;
}
