import { describe, expect, test } from "@jest/globals";
import { runEngine } from "../../src/replay/engine-run/engine-run.ts";
import fc from "../drawn.ts";
import { anySettings, anyWorkload, hidesConflicts } from "./any-workload.ts";

describe("any workload with any queue settings", () => {
  test.each([
    ["single", "fixed"],
    ["parallel", "fixed"],
    ["single", "beliefs"],
    ["parallel", "beliefs"],
  ] as const)(
    "breaks no invariant, keeps the base green and leaves nothing undecided in %s mode with the policy %s",
    (mode, policy) => {
      fc.assert(
        fc.property(anyWorkload, anySettings(mode, { policy }), (workload, settings) => {
          const { violations, broken, pullRequests } = runEngine(workload, settings);
          expect(violations).toEqual([]);
          if (mode === "single" || !hidesConflicts(workload)) expect(broken).toBe(0);
          expect(pullRequests.filter(({ ending }) => ending === "undecided")).toEqual([]);
        }),
        { numRuns: 150 },
      );
    },
  );
});
