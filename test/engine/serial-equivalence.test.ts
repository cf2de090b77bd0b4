import { describe, expect, test } from "@jest/globals";
import { decide } from "../../src/engine/decide.ts";
import type { QueueSettings } from "../../src/engine/model/settings.ts";
import { createRandomSource, type RandomSource } from "../../src/replay/workload/random-source.ts";
import { drawScenario } from "../../tools/simulator/soak/draw-scenario.ts";
import { pullRequests, type Scenario, type StepKind } from "../../tools/simulator/soak/scenario.ts";
import { World } from "../../tools/simulator/soak/world.ts";

/** Pull requests that clash and conflict, all submitted one after the other; nobody interferes later. */
function calmScenario(seed: number, narrowed: Partial<QueueSettings>): Scenario {
  const scenario = drawScenario(seed, { testingTimeoutMinutes: 10_000, commandsEnabled: true, ...narrowed });
  return { ...scenario, steps: [], cures: [] };
}

function shuffled(random: RandomSource): number[] {
  const order = Array.from({ length: pullRequests }, (_, index) => index);
  return order
    .map((pr) => [random(), pr] as const)
    .sort(([a], [b]) => a - b)
    .map(([, pr]) => pr);
}

/** Everything that the queue orders is done and observed in a random order; the content of the base in the end. */
function run(scenario: Scenario, order: readonly number[], random: RandomSource): readonly string[] {
  const world = new World(scenario, decide);
  const step = (kind: StepKind) => world.step({ do: kind, n: Math.floor(random() * 1_000) });
  for (const pr of order) {
    world.step({ do: "submit_high", n: pr });
    world.step({ do: "wait", n: 0 });
  }
  const kinds = ["build", "report", "rerun", "merge", "examine", "echo", "look_at_base"] as const;
  for (let i = 0; i < 20_000 && world.queue.state.entries.size > 0; i++) {
    if (world.isIdle) world.wake();
    step(kinds[Math.floor(random() * kinds.length)] ?? "build");
  }
  expect(world.judge.violations.texts).toEqual([]);
  expect(world.queue.state.entries.size).toBe(0);
  return world.host.contentOf(world.host.tip);
}

/** What keeps a pull request from merging onto what has merged. */
function obstacle(scenario: Scenario, content: readonly string[], item: string): "conflicts" | "red" | null {
  const { host } = new World(scenario, decide);
  const numbers = [...content, item].map((other) => Number.parseInt(other, 10));
  const own = Number.parseInt(item, 10);
  const conflicts = scenario.conflicts.some(
    ([a, b]) => [a, b].includes(own) && numbers.includes(a) && numbers.includes(b),
  );
  if (conflicts) return "conflicts";
  return host.isGreen([...content, item]) ? null : "red";
}

/** What remains when each is merged onto what merged before it, if that can be done and is green. */
function mergedOneByOne(scenario: Scenario, order: readonly number[]): readonly string[] {
  let content: readonly string[] = [];
  for (const index of order) {
    const item = `${index + 1}.0`;
    if (obstacle(scenario, content, item) === null) content = [...content, item];
  }
  return content;
}

describe("whatever is observed first", () => {
  const seeds = Array.from({ length: 30 }, (_, index) => index + 1);
  const permutations = [1, 2];

  test("a line without speculation makes of the base what merging one by one does", () => {
    for (const seed of seeds) {
      const scenario = calmScenario(seed, { mode: "single", concurrency: 1, batch: false });
      const order = shuffled(createRandomSource(seed + 10_000));
      const expected = mergedOneByOne(scenario, order);
      for (const permutation of permutations) {
        const content = run(scenario, order, createRandomSource(seed * 10 + permutation));
        expect([seed, content]).toEqual([seed, expected]);
      }
    }
  });

  test.each(["single", "parallel"] as const)(
    "however much is tested at once and together in %s mode, what merged can be merged one by one, and nothing else",
    (mode) => {
      for (const seed of seeds) {
        const scenario = calmScenario(seed, { mode });
        const order = shuffled(createRandomSource(seed + 10_000));
        for (const permutation of permutations) {
          const content = run(scenario, order, createRandomSource(seed * 10 + permutation));
          const inOrder = content.map((item) => Number.parseInt(item, 10) - 1);
          expect([seed, mergedOneByOne(scenario, inOrder)]).toEqual([seed, content]);
          const rejected = order.map((index) => `${index + 1}.0`).filter((item) => !content.includes(item));
          const mergeable = rejected.filter((item) => obstacle(scenario, content, item) === null);
          expect([seed, mergeable]).toEqual([seed, []]);
        }
      }
    },
  );
});
