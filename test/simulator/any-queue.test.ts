import { describe, expect, test } from "@jest/globals";
import { runEngine } from "../../src/replay/engine-run/run-engine.ts";
import fc from "../drawn.ts";
import { anySettings, anyWorkload, hidesConflicts } from "./any-workload.ts";

describe("whatever comes, however the queue is set", () => {
  test.each([
    ["single", "fixed"],
    ["parallel", "fixed"],
    ["single", "beliefs"],
    ["parallel", "beliefs"],
  ] as const)("no invariant is broken, the base is green, and everything ends (%s, %s)", (mode, policy) => {
    fc.assert(
      fc.property(anyWorkload, anySettings(mode, { policy }), (workload, settings) => {
        const { violations, broken, pullRequests } = runEngine(workload, settings);
        expect(violations).toEqual([]);
        if (mode === "single" || !hidesConflicts(workload)) expect(broken).toBe(0);
        expect(pullRequests.filter(({ ending }) => ending === "undecided")).toEqual([]);
      }),
      { numRuns: 150 },
    );
  });
});
