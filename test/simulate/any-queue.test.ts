import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { runEngine } from "../../src/simulate/engine-run/run-engine.ts";
import { anySettings, anyWorkload, hidesConflicts } from "./any-workload.ts";

describe("whatever comes, however the queue is set", () => {
  test.each(["single", "parallel"] as const)(
    "no invariant is broken, the base is green, and everything ends (%s)",
    (mode) => {
      fc.assert(
        fc.property(anyWorkload, anySettings(mode, {}), (workload, settings) => {
          const { violations, broken, pullRequests } = runEngine(workload, settings);
          expect(violations).toEqual([]);
          if (mode === "single" || !hidesConflicts(workload)) expect(broken).toBe(0);
          expect(pullRequests.filter(({ ending }) => ending === "undecided")).toEqual([]);
        }),
        { numRuns: 300 },
      );
    },
  );
});
