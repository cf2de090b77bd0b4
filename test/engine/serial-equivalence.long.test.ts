import { describe, expect, test } from "@jest/globals";
import { decide } from "../../src/engine/decide.ts";
import type { QueueSettings } from "../../src/engine/model/settings.ts";
import { createRandomSource, type RandomSource } from "../../src/replay/workload/random-source.ts";
import { drawScenario } from "../../tools/simulator/soak/draw-scenario.ts";
import { pullRequests, type Scenario, type StepKind } from "../../tools/simulator/soak/scenario.ts";
import { World } from "../../tools/simulator/soak/world.ts";

/** A scenario whose pull requests clash and conflict, and in which no user interferes after the submissions. */
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

/** Does and observes the queue's work in a random order. Returns the final content of the base. */
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

/** The obstacle that keeps a pull request from merging onto the given content, or null. */
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

/** The content after merging the pull requests one by one, without those that conflict or are red. */
function mergedOneByOne(scenario: Scenario, order: readonly number[]): readonly string[] {
  let content: readonly string[] = [];
  for (const index of order) {
    const item = `${index + 1}.0`;
    if (obstacle(scenario, content, item) === null) content = [...content, item];
  }
  return content;
}

describe("the final content of the base, whatever is observed first,", () => {
  const seeds = Array.from({ length: 30 }, (_, index) => index + 1);
  const permutations = [1, 2];

  test("is the same as after merging one by one when the queue does not speculate", () => {
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
    "can be merged one by one in %s mode, and no rejected pull request could be added to it",
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
