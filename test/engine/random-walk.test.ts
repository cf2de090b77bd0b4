import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { fold } from "../../src/engine/evolve.ts";
import { deserializeState, serializeState } from "../../src/engine/snapshot.ts";
import { isAllowed } from "../../src/engine/transition.ts";
import { World } from "./world.ts";

const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant("submit" as const), pr: fc.integer({ min: 1, max: 12 }) }),
  },
  { weight: 8, arbitrary: fc.record({ do: fc.constant("build" as const), pr: fc.nat() }) },
  { weight: 8, arbitrary: fc.record({ do: fc.constant("report" as const), pr: fc.nat() }) },
  { weight: 8, arbitrary: fc.record({ do: fc.constant("merge" as const), pr: fc.nat() }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant("cancel" as const), pr: fc.integer({ min: 1, max: 12 }) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant("restart" as const), pr: fc.integer({ min: 1, max: 12 }) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant("push" as const), pr: fc.integer({ min: 1, max: 12 }) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("moveBase" as const), pr: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("pause" as const), pr: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("resume" as const), pr: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("repeat" as const), pr: fc.nat() }) },
);

const scenario = fc.record({
  concurrency: fc.integer({ min: 1, max: 4 }),
  method: fc.constantFrom("squash" as const, "merge_commit" as const),
  broken: fc.uniqueArray(fc.integer({ min: 1, max: 12 }), { maxLength: 3 }),
  clashes: fc.array(fc.tuple(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 12 })), {
    maxLength: 3,
  }),
  conflicts: fc.array(fc.tuple(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 12 })), {
    maxLength: 2,
  }),
  steps: fc.array(step, { maxLength: 120 }),
});

describe("whatever happens, in whatever order", () => {
  test("the base is always green, only culprits fail, and everything ends", () => {
    fc.assert(
      fc.property(scenario, ({ steps, ...world }) => {
        const walk = new World(world);
        for (const { do: what, pr } of steps) {
          walk.step(what, pr);
          walk.check();
        }
        walk.finish();
        walk.check();
        expect(walk.queue.state.entries.size).toBe(0);
        expect(walk.queue.state.runs.size).toBe(0);
        const { log } = walk.queue;
        expect(serializeState(fold(log))).toBe(serializeState(walk.queue.state));
        const middle = serializeState(fold(log.slice(0, log.length / 2)));
        expect(serializeState(fold(log.slice(log.length / 2), deserializeState(middle)))).toBe(
          serializeState(walk.queue.state),
        );
        for (const { data } of log) {
          if (data.type === "entry_moved") expect(isAllowed(data.from, data.to, data.reason.code)).toBe(true);
        }
      }),
      { numRuns: 1_000 },
    );
  });
});
