import { describe, expect, test } from "@jest/globals";
import { explain } from "../../src/engine/explain/explain.ts";
import { learnCapacity } from "../../src/engine/fold/learn.ts";
import { type Capacity, unknownCapacity } from "../../src/engine/model/capacity/history.ts";
import { defaultSettings } from "../../src/engine/model/settings.ts";
import { runEngine } from "../../src/replay/engine-run/engine-run.ts";
import { createRandomSource, normal } from "../../src/replay/workload/random-source.ts";
import { generateWorkload } from "../../tools/simulator/workload/generate-workload.ts";
import { presets } from "../../tools/simulator/workload/model.ts";
import { QueueHarness } from "./queue-harness.ts";

const byLoad = { batch: true, batchSizing: "by_load" } as const;

describe("the number of tests that CI serves at once", () => {
  /** The capacity learned from ten-minute tests, up to `most` at once, while CI serves `served` at once. */
  function learned(served: number, most: number, known: Capacity = unknownCapacity): Capacity {
    const random = createRandomSource(7);
    let capacity = known;
    for (let index = 0; index < 96; index++) {
      const atOnce = 1 + (index % most);
      const noise = Math.exp(0.2 * normal(random));
      const ms = 600_000 * Math.max(1, atOnce / served) * noise;
      const at = (capacity.samples.at(-1)?.at ?? 0) + ms;
      capacity = learnCapacity(capacity, { at, ms, atOnce });
    }
    return capacity;
  }

  test("is learned from tests that take longer when more of them are under way", () => {
    for (const served of [2, 4, 6]) {
      const { limit } = learned(served, 16);
      expect(Math.abs((limit ?? 0) - served)).toBeLessThanOrEqual(1);
    }
  });

  test("stays unknown while tests take equally long, however many are under way", () => {
    expect(learned(16, 16).limit).toBeNull();
  });

  test("stays unknown when many tests end together, because those that started earlier took longer", () => {
    let capacity = unknownCapacity;
    for (let index = 0; index < 400; index++) {
      const atOnce = 200 - (index % 100);
      capacity = learnCapacity(capacity, { at: 1_000 * index, ms: 3_000 * atOnce, atOnce });
    }
    expect(capacity.limit).toBeNull();
  });

  test("grows when CI gets more capacity", () => {
    const small = learned(4, 16);
    const { limit } = learned(16, (small.limit ?? 0) + 1, small);
    expect(limit).toBeGreaterThan(small.limit ?? 0);
  });
});

describe("a queue whose CI serves fewer tests than it has slots", () => {
  function queueWith(policy: "adaptive" | "fixed"): QueueHarness {
    const queue = new QueueHarness({ policy, concurrency: 6 });
    const capacity = { ...unknownCapacity, limit: 2 };
    queue.state = { ...queue.state, history: { ...queue.state.history, capacity } };
    for (const pr of [1, 2, 3, 4, 5]) queue.submit(pr);
    return queue;
  }

  const tested = ({ state }: QueueHarness) => [...state.runs.values()].flatMap(({ members }) => members);

  test("tests one more pull request than CI serves, and explains the limit", () => {
    const queue = queueWith("adaptive");
    expect(tested(queue)).toEqual([1, 2, 3]);
    const [link] = explain(queue.state, queue.entryOf(4), queue.now);
    expect(link).toMatchObject({
      code: "NO_FREE_SLOT",
      text: "no free testing slot: CI serves about 2 tests at once, and 3 are under way",
    });
  });

  test("tests more pull requests than CI serves with the policy fixed", () => {
    const queue = queueWith("fixed");
    expect(tested(queue)).toEqual([1, 2, 3, 4, 5]);
  });

  // Without the learned limit, it would take four times as long.
  test("takes less than twice as long with four times as many slots", () => {
    const mean = (concurrency: number) => {
      const model = { ...presets.github.model, rate: 8, hours: 24, workers: 4, pairShare: 0.1, seed: 5 };
      const { pullRequests } = runEngine(generateWorkload(model), {
        ...defaultSettings,
        ...byLoad,
        ...{ mode: "parallel", policy: "adaptive", concurrency, bisectionConcurrency: concurrency },
      });
      const times = pullRequests.flatMap(({ at, endedAt }) => (endedAt === null ? [] : [endedAt - at]));
      return times.reduce((sum, one) => sum + one, 0) / times.length;
    };
    expect(mean(16)).toBeLessThan(2 * mean(4));
  });
});
