import { describe, expect, test } from "@jest/globals";
import { summarize } from "../../src/replay/outcome.ts";
import type { ReferencePolicyName } from "../../tools/simulator/reference/policies.ts";
import { runReference } from "../../tools/simulator/reference/run-reference.ts";
import { generateWorkload } from "../../tools/simulator/workload/generate-workload.ts";
import { presets } from "../../tools/simulator/workload/model.ts";

describe("with the published load of 300 PRs/h on 200 workers,", () => {
  const workload = generateWorkload({ ...presets.github.model, rate: 300 });
  const figures = (name: ReferencePolicyName) =>
    summarize(runReference(workload, name), workload.settings, 0);
  const oracle = figures("oracle");
  const toOracle = (name: ReferencePolicyName) => (figures(name).p95 ?? 0) / (oracle.p95 ?? 1);

  test("the oracle takes little more time than one test, and tests each pull request once", () => {
    expect(oracle.p50).toBeCloseTo(26, -0.5);
    expect(oracle.p99).toBeCloseTo(42, -0.7);
    expect(oracle.runsPerPr).toBe(1);
    expect(oracle.falseRejections).toBe(0);
  });

  test("the other policies have the published order", () => {
    expect(toOracle("submitqueue")).toBeLessThan(1.15);
    expect(toOracle("optimistic")).toBeGreaterThan(1.4);
    expect(toOracle("optimistic")).toBeLessThan(2);
    expect(toOracle("bors")).toBeGreaterThan(100);
    expect(toOracle("serial")).toBeGreaterThan(100);
  });
});
