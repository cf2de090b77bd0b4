import { describe, expect, test } from "@jest/globals";
import {
  beginQuarantine,
  budgetOf,
  decideQuarantine,
  defaultQuarantineSettings,
  orderByHarm,
  type Quarantine,
  type QuarantineFacts,
  shareOf,
  wilsonInterval,
} from "../../src/flaky/quarantine/decide-quarantine.ts";

const day = 24 * 60 * 60_000;
const flaky: QuarantineFacts = {
  mode: "AUTO",
  status: "FLAKY",
  provenAt: 0,
  quarantine: null,
  others: 0,
  budget: 20,
};
const since: Quarantine = beginQuarantine(0, "@org/team", "it flips", defaultQuarantineSettings);

describe("a test", () => {
  test.each<[string, Partial<QuarantineFacts>, number, boolean, string]>([
    ["flaky", {}, 0, true, "FLAKY"],
    ["healthy", { status: "HEALTHY" }, 0, false, "HEALTHY"],
    ["broken", { status: "BROKEN" }, 0, false, "BROKEN"],
    ["broken and quarantined so far", { status: "BROKEN", quarantine: since }, day, false, "BROKEN"],
    ["broken, and always", { status: "BROKEN", mode: "ALWAYS" }, 0, true, "ALWAYS_SET"],
    ["healthy, and always", { status: "HEALTHY", mode: "ALWAYS" }, 0, true, "ALWAYS_SET"],
    ["flaky, and never", { mode: "NEVER", quarantine: since }, 0, false, "NEVER_SET"],
    ["quarantined for 29 days", { quarantine: since }, 29 * day, true, "FLAKY"],
    ["quarantined for 30 days", { quarantine: since }, 30 * day, false, "EXPIRED"],
    ["always for 30 days", { mode: "ALWAYS", quarantine: since }, 30 * day, false, "EXPIRED"],
    ["flaky again since", { quarantine: since, provenAt: 31 * day }, 32 * day, true, "FLAKY"],
    ["the last for which there is room", { others: 19 }, 0, true, "FLAKY"],
    ["flaky, without room", { others: 20 }, 0, false, "BUDGET_SPENT"],
    [
      "flaky again, without room",
      { others: 20, quarantine: since, provenAt: 31 * day },
      32 * day,
      false,
      "BUDGET_SPENT",
    ],
    ["quarantined so far, without room", { others: 25, quarantine: since }, day, true, "FLAKY"],
    ["always, without room", { others: 25, mode: "ALWAYS" }, 0, true, "ALWAYS_SET"],
  ])("that is %s is quarantined or not (case %#)", (_what, facts, at, isQuarantined, code) => {
    expect(decideQuarantine({ ...flaky, ...facts }, at, defaultQuarantineSettings)).toEqual({
      isQuarantined,
      code,
    });
  });

  test.each(["AUTO", "ALWAYS", "NEVER"] as const)(
    "set to %s is not quarantined when quarantining is off",
    (mode) => {
      const off = { ...defaultQuarantineSettings, enabled: false };
      expect(decideQuarantine({ ...flaky, mode }, 0, off)).toEqual({
        isQuarantined: false,
        code: "QUARANTINING_OFF",
      });
    },
  );
});

test.each([
  [0, 20],
  [419, 20],
  [420, 21],
  [10_000, 500],
])("of a repository's %i tests, %i may be quarantined automatically", (tests, budget) => {
  expect(budgetOf(tests, defaultQuarantineSettings)).toBe(budget);
});

describe("the rate of a test", () => {
  test.each([
    [0, 10, 0, 0.2775],
    [1, 20, 0.0089, 0.2361],
    [3, 100, 0.0103, 0.0845],
    [7, 20, 0.1812, 0.5671],
    [2, 500, 0.0011, 0.0145],
    [20, 20, 0.8389, 1],
    [0, 0, 0, 1],
  ])("with %i failures in %i runs lies from %d to %d", (failures, runs, low, high) => {
    const interval = wilsonInterval(failures, runs);
    expect(interval.low).toBeCloseTo(low, 4);
    expect(interval.high).toBeCloseTo(high, 4);
  });

  test("decides which test gets the budget: seven failures of twenty come before one of two", () => {
    const candidates = [
      { runs: 500, failures: 2 },
      { runs: 2, failures: 1 },
      { runs: 20, failures: 7 },
    ];
    expect(orderByHarm(candidates).map(({ runs }) => runs)).toEqual([20, 2, 500]);
  });
});

test.each([
  [2, 1, 2],
  [20, 2, 20],
  [30, 2, 20],
  [100, 2, 50],
  [100, 3, 100],
])("of a quarantine budget of %i, tests with %i proofs may use %i", (budget, proofs, places) => {
  expect(shareOf(budget, proofs)).toBe(places);
});
