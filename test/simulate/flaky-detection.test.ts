import { spawnSync } from "node:child_process";
import { describe, expect, test } from "@jest/globals";
import { type Evaluation, evaluate } from "../../src/simulate/flaky/evaluate.ts";
import { generateHistory } from "../../src/simulate/flaky/generate-history.ts";
import { otherDetectors } from "../../src/simulate/flaky/other-detectors.ts";
import { createOurDetector } from "../../src/simulate/flaky/our-detector.ts";
import { type FlakyWorkloadName, flakyRate, flakyWorkloads } from "../../src/simulate/flaky/workload.ts";

/** Nobody has looked at these while the rules were made. */
const seeds = [201, 202];

describe("our detection", () => {
  test("finds what fails often, and nearly nothing else, in spite of outages", () => {
    const { precision, covered, forgiven } = figures("rough");
    expect(precision).toBeGreaterThanOrEqual(0.99);
    expect(covered).toBeGreaterThanOrEqual(0.95);
    expect(forgiven).toBeGreaterThanOrEqual(0.95);
  });

  test("finds it where nobody ever runs a job again", () => {
    const { precision, covered, forgiven } = figures("rough, no re-runs");
    expect(precision).toBeGreaterThanOrEqual(0.99);
    expect(covered).toBeGreaterThanOrEqual(0.87);
    expect(forgiven).toBeGreaterThanOrEqual(0.87);
  });

  test("holds nothing against the tests by which the queue finds bad pull requests", () => {
    expect(figures("calm, bad ones in the queue").precision).toBe(1);
  });

  test("is right where comparing heads, as is usual, is not", () => {
    const usual = otherDetectors["pass on retry, head SHA"];
    if (!usual) throw new Error("the rule has another name");
    const histories = seeds.map((seed) => generateHistory(flakyWorkloads.calm, seed));
    expect(evaluate(createOurDetector, histories).precision).toBe(1);
    expect(evaluate(usual, histories).precision).toBeLessThan(0.95);
  });
});

describe("a made-up history", () => {
  test("is the same for the same seed", () => {
    const small = { ...flakyWorkloads.rough, days: 1, tests: 500 };
    expect(generateHistory(small, 7)).toEqual(generateHistory(small, 7));
    expect(generateHistory(small, 7).uploads).not.toEqual(generateHistory(small, 8).uploads);
  });

  test("has flaky tests at the rates that were measured", () => {
    const rates = Array.from({ length: 1_001 }, (_, at) => flakyRate(at / 1_000));
    expect(rates[0]).toBe(0.0001);
    expect(rates.at(-1)).toBeCloseTo(0.3, 6);
    expect(rates).toEqual(rates.toSorted((a, b) => a - b));
    // More than half of the flaky tests fail in less than one run of a hundred.
    expect(rates.filter((rate) => rate < 0.01).length).toBeGreaterThan(550);
  });
});

test("what is found too late covers its failures, and forgives none", () => {
  const history = {
    tests: 10,
    uploads: [],
    flaky: new Map([[1, 0.1]]),
    flakes: [
      { test: 1, at: 5 },
      { test: 1, at: 6 },
    ],
  };
  const found = (at: number) => () => ({
    see: () => undefined,
    flagged: new Map([
      [1, at],
      [2, at],
    ]),
  });
  const common: Partial<Evaluation> = { precision: 0.5, recall: 1, covered: 1 };
  expect(evaluate(found(9), [history])).toMatchObject({ ...common, forgiven: 0, failuresBefore: 2 });
  expect(evaluate(found(5), [history])).toMatchObject({ ...common, forgiven: 0.5, failuresBefore: 1 });
});

function figures(workload: FlakyWorkloadName) {
  const histories = seeds.map((seed) => generateHistory(flakyWorkloads[workload], seed));
  const { precision, covered, forgiven } = evaluate(createOurDetector, histories);
  return { precision: precision ?? 0, covered: covered ?? 0, forgiven: forgiven ?? 0 };
}

test.each([
  [["--help"], 0],
  [["--seeds", "x"], 2],
  [["--nonsense"], 2],
])("the command line %j answers %i, and how it is used", (argv, code) => {
  const child = spawnSync(
    process.execPath,
    ["--disable-warning=ExperimentalWarning", "src/main.ts", "simulate-flaky", ...argv],
    {
      encoding: "utf8",
    },
  );
  expect([child.status, child.stderr]).toEqual([
    code,
    expect.stringMatching(/^Usage: npm run simulate:flaky/),
  ]);
});
