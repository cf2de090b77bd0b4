import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { fold } from "../../src/engine/evolve.ts";
import { deserializeState, serializeState } from "../../src/engine/snapshot.ts";
import { isAllowed } from "../../src/engine/transition.ts";
import { World } from "./world.ts";

const anyPr = fc.integer({ min: 1, max: 12 });

function often<What extends string>(weight: number, what: What, pr: fc.Arbitrary<number> = fc.nat()) {
  return { weight, arbitrary: fc.record({ do: fc.constant(what), pr }) };
}

const step = fc.oneof(
  often(4, "submit", anyPr),
  often(1, "submitUrgent", anyPr),
  often(1, "submitAlone", anyPr),
  often(8, "build"),
  often(8, "report"),
  often(8, "merge"),
  often(3, "examine"),
  often(1, "outage"),
  often(1, "breakCi"),
  often(1, "retarget", anyPr),
  often(1, "cancel", anyPr),
  often(1, "restart", anyPr),
  often(1, "push", anyPr),
  often(1, "moveBase"),
  often(1, "pause"),
  often(1, "resume"),
  often(1, "repeat"),
  often(1, "toggleBatch"),
  often(1, "toggleOptimism"),
  often(1, "toggleDepth"),
);

const settings = fc.record({
  mode: fc.constantFrom("single" as const, "parallel" as const),
  concurrency: fc.integer({ min: 1, max: 4 }),
  bisectionConcurrency: fc.integer({ min: 1, max: 3 }),
  mergeMethod: fc.constantFrom("squash" as const, "merge_commit" as const),
  batch: fc.boolean(),
  directMergeMode: fc.constantFrom("off" as const, "off" as const, "always" as const),
  batchingMinSize: fc.integer({ min: 1, max: 6 }),
  batchingMaxWaitTimeMinutes: fc.constantFrom(0, 5),
  priorityMaxWaitTimeMinutes: fc.constantFrom(1, 480),
  optimizationMode: fc.constantFrom("off" as const, "bisection_skip_redundant_tests" as const),
  canOptimisticallyMerge: fc.boolean(),
  pendingFailureDepth: fc.integer({ min: 0, max: 2 }),
});

const scenario = fc.record({
  submitted: fc.integer({ min: 0, max: 9 }),
  settings,
  broken: fc.uniqueArray(fc.integer({ min: 1, max: 12 }), { maxLength: 3 }),
  clashes: fc.array(fc.tuple(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 12 })), {
    maxLength: 8,
  }),
  conflicts: fc.array(fc.tuple(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 12 })), {
    maxLength: 2,
  }),
  targets: fc.dictionary(
    fc.integer({ min: 1, max: 12 }).map(String),
    fc.oneof(
      { weight: 1, arbitrary: fc.constant("ALL" as const) },
      { weight: 6, arbitrary: fc.uniqueArray(fc.integer({ min: 1, max: 6 }), { maxLength: 3 }) },
    ),
  ),
  steps: fc.array(step, { maxLength: 120 }),
});

describe("whatever happens, in whatever order", () => {
  const reached = new Set<string>();

  test("the base is always green, only culprits fail, and everything ends", () => {
    fc.assert(
      fc.property(scenario, ({ steps, submitted, ...world }) => {
        const walk = new World(world);
        for (let pr = 1; pr <= submitted; pr++) walk.step("submit", pr);
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
          if (data.type !== "entry_moved") continue;
          expect(isAllowed(data.from, data.to, data.reason.code)).toBe(true);
          reached.add(data.reason.code);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  test("the walks have been where it matters", () => {
    expect([...reached]).toEqual(
      expect.arrayContaining([
        "IMPLIED_BY_BISECTION",
        "BISECTION_REQUIRED",
        "SUCCESSOR_PASSED",
        "INTERRUPTED_BY_URGENT",
        "AHEAD_FAILED",
        "BASE_MOVED",
        "MERGED_IN_ORDER",
        "DIRECT_MERGED",
        "INFRASTRUCTURE_ERROR",
      ]),
    );
  });
});
