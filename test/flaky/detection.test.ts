import { describe, expect, test } from "@jest/globals";
import { addRun, isFlakyByCusum, restingCusum } from "../../src/flaky/detection/cusum.ts";
import { flipsBetween, flipWeight } from "../../src/flaky/detection/flips.ts";
import {
  newHistory,
  type Observation,
  observe,
  statusOf,
  type TestHistory,
} from "../../src/flaky/detection/history.ts";
import { isSuspect } from "../../src/flaky/detection/infrastructure.ts";
import { cleanRunsNeeded, failureRate, type RunCount } from "../../src/flaky/detection/recovery.ts";
import { day, defaultDetectionSettings, hour, minute } from "../../src/flaky/detection/settings.ts";
import { renderStatusReason, type StatusReason } from "../../src/flaky/detection/status.ts";
import { isFlip } from "../../src/flaky/report/test-run.ts";
import { fixture, readReport } from "./read-fixture.ts";

describe("an upload", () => {
  test.each([
    ["900 of 10,000", { tests: 10_000, failed: 900 }, [3, 2, 4], true],
    ["21 where few fail", { tests: 10_000, failed: 21 }, [1, 2, 3], true],
    ["20 where few fail", { tests: 10_000, failed: 20 }, [1, 2, 3], false],
    ["21 where many fail", { tests: 10_000, failed: 21 }, [1, 10, 4, 4], false],
    ["24, as many as 6 medians allow", { tests: 10_000, failed: 24 }, [1, 4, 9], false],
    ["one in twenty, of many failures", { tests: 480, failed: 24 }, [4, 4], true],
    ["one of twenty tests in all", { tests: 20, failed: 1 }, [], false],
    ["the first ever", { tests: 10_000, failed: 3 }, [], false],
  ])("with failures of %s is suspect: %#", (_what, size, recent, expected) => {
    expect(isSuspect(size, recent)).toBe(expected);
  });
});

describe("two runs of one tree", () => {
  const run = (failed: readonly number[], tests = 30, isSuspect = false) => ({
    isSuspect,
    outcomes: new Map(
      Array.from(
        { length: tests },
        (_, id) => [`t${id}`, failed.includes(id) ? "failed" : "passed"] as const,
      ),
    ),
  });

  test("show which tests flip, whichever came first", () => {
    expect(flipsBetween(run([3, 4]), run([4, 5]))).toEqual({ tests: ["t3", "t5"], weight: 1 });
    expect(flipsBetween(run([4, 5]), run([3, 4])).tests).toEqual(["t3", "t5"]);
  });

  test("show it for the tests that both ran", () => {
    expect(flipsBetween(run([3]), run([], 4)).tests).toEqual(["t3"]);
    expect(flipsBetween(run([3]), run([], 3)).tests).toEqual([]);
  });

  test("show nothing if one is suspect", () => {
    expect(flipsBetween(run([3], 30, true), run([]))).toEqual({ tests: [], weight: 0 });
  });

  test.each([
    [1, 1],
    [2, 1],
    [3, 0.5],
    [10, 0.5],
    [11, 0.25],
    [900, 0.25],
    [0, 0],
  ])("of which %i flip at once weigh %d each", (tests, weight) => {
    expect(flipWeight(tests)).toBe(weight);
  });
});

describe("a test that passes and fails on one tree", () => {
  test("is flaky at once, if it is nearly alone", () => {
    const history = play([flip(0, 1)]);
    expect(statusOf(history)).toEqual({
      status: "FLAKY",
      at: 0,
      reason: { code: "FLIPPED_ON_ONE_TREE", tree: "tree", episodes: 1 },
    });
  });

  test.each([
    ["2 hours", 2 * hour, "FLAKY"],
    ["30 minutes", 30 * minute, "HEALTHY"],
    ["15 days", 15 * day, "HEALTHY"],
  ])("among eight, and %s later among five, is %3$s", (_what, later, status) => {
    expect(statusOf(play([flip(0, 8), flip(later, 5)])).status).toBe(status);
  });

  test("is flaky at the fourth time among many", () => {
    const times = [0, 1, 2, 3].map((at) => flip(at * day, 50));
    expect(statusOf(play(times.slice(0, 3))).status).toBe("HEALTHY");
    expect(statusOf(play(times))).toMatchObject({ at: 3 * day, status: "FLAKY", reason: { episodes: 4 } });
  });

  test("is told by its weightiest flip within an hour", () => {
    expect(statusOf(play([flip(0, 8), flip(30 * minute, 1)])).status).toBe("FLAKY");
  });

  test.each([
    ["surefire-reruns", 1],
    ["gradle-retries", 1],
    ["nextest", 2],
    ["pytest", 0],
  ])("is so in one report of %s: %i", (name, flips) => {
    expect([...readReport(fixture(name)).runs].filter(isFlip)).toHaveLength(flips);
  });
});

describe("a test on a stable branch", () => {
  test.each([
    ["FPFPF", [3.912, 7.774, 11.635], true],
    [`${"P".repeat(10)}F${"P".repeat(10)}F${"P".repeat(10)}F`, [3.912, 7.321, 10.73], true],
    [`${"P".repeat(100)}F`.repeat(5), [3.912, 3.912, 3.912, 3.912, 3.912], false],
    ["PPPPPFFFFPPPPP", [3.912, 3.912, 3.912, 3.912], false],
  ])("that goes %s scores at its failures %j", (runs, scores, isFlaky) => {
    let cusum = restingCusum;
    const seen: number[] = [];
    for (const run of runs) {
      cusum = addRun(cusum, run === "F" ? "failed" : "passed");
      if (run === "F") seen.push(Math.round(cusum.score * 1_000) / 1_000);
    }
    expect([seen, isFlakyByCusum(cusum)]).toEqual([scores, isFlaky]);
    expect(play(stable(runs)).changes.some(({ status }) => status === "FLAKY")).toBe(isFlaky);
  });

  test("that fails each time is broken from the third, and healthy from the next pass", () => {
    const { changes } = play(stable("PPPPPFFFFPPPPP"));
    expect(changes.map(({ status, at }) => [status, at / hour])).toEqual([
      ["HEALTHY", 0],
      ["BROKEN", 7],
      ["HEALTHY", 9],
    ]);
  });

  test("that fails each time on one tree is not broken", () => {
    expect(statusOf(play(stable("FFFFF").map((run) => ({ ...run, tree: "tree" })))).status).toBe("HEALTHY");
  });

  test("that is flaky and then broken is flaky again once it passes", () => {
    const { changes } = play(stable("FPFPFPFFFP"));
    expect(changes.map(({ status }) => status)).toEqual(["HEALTHY", "FLAKY", "BROKEN", "FLAKY"]);
  });
});

describe("a test on pull requests", () => {
  test("is not blamed for failing there", () => {
    const failures = stable("FFFFFPFPFPF").map((run) => ({ ...run, branch: "pr" as const }));
    expect(play(failures)).toEqual(newHistory(0));
  });

  test("is not blamed for catching bad ones in the queue", () => {
    const runs = stable(`${"F".repeat(4)}${"FP".repeat(6)}`).map((run) => ({
      ...run,
      branch: "queue" as const,
    }));
    expect(play(runs).changes.map(({ status }) => status)).toEqual(["HEALTHY"]);
  });

  test("of one head and two trees shows nothing, for trees are compared", () => {
    expect(statusOf(play([...stable("F"), ...stable("P")])).status).toBe("HEALTHY");
  });
});

describe("a flaky test", () => {
  test.each([
    [0.2, 14],
    [0.05, 59],
    [0.01, 299],
    [0.005, 598],
  ])("that fails at a rate of %d recovers by %i clean runs", (rate, runs) => {
    const recovery = { ...defaultDetectionSettings.recovery, leastRuns: 1 };
    expect(cleanRunsNeeded(rate, { ...defaultDetectionSettings, recovery })).toBe(runs);
  });

  test.each([
    [0.5, 20],
    [1e-6, 2_000],
  ])("that fails at a rate of %d needs no fewer than 20 and no more than 2,000: %i", (rate, runs) => {
    expect(cleanRunsNeeded(rate)).toBe(runs);
  });

  test("is healthy after as many clean runs as its rate asks for, and not one before", () => {
    const count = { runs: 109, failures: 5 };
    expect(failureRate(count)).toBe(0.05);
    const runs = passes(59, hour);
    expect(statusOf(play([flip(0, 1), ...runs.slice(0, 58)], count)).status).toBe("FLAKY");
    expect(statusOf(play([flip(0, 1), ...runs], count))).toMatchObject({
      status: "HEALTHY",
      reason: { code: "RECOVERED", runs: 59 },
    });
  });

  test("is not healthy within a day, however often it passes", () => {
    expect(statusOf(play([flip(0, 1), ...passes(1_000, minute)])).status).toBe("FLAKY");
  });

  test("begins anew with each failure", () => {
    const failure = { ...stable("F")[0], at: 58 * hour, branch: "pr" } as Observation;
    const runs = [flip(0, 1), ...passes(58, hour), failure, ...passes(58, hour, 60 * hour)];
    expect(statusOf(play(runs, { runs: 109, failures: 5 })).status).toBe("FLAKY");
  });

  test("that has recovered is not flaky by what was before", () => {
    const history = play([flip(0, 1), ...passes(40, hour), flip(50 * hour, 8)]);
    expect(statusOf(history).status).toBe("HEALTHY");
  });
});

test("a history keeps fifty changes, and nothing of a test that only passes", () => {
  const long = play(stable("FFFP".repeat(100)));
  expect(long.changes).toHaveLength(50);
  const healthy = newHistory(0);
  expect(observe(healthy, stable("P")[0] as Observation, context())).toBe(healthy);
});

test.each<[StatusReason, string]>([
  [{ code: "NOTHING_KNOWN" }, "Nothing speaks against it"],
  [
    { code: "FLIPPED_ON_ONE_TREE", tree: "0123456789", episodes: 2 },
    "Passed and failed on the same tree 0123456 (2 episodes)",
  ],
  [
    { code: "FAILS_NOW_AND_THEN", streaks: 3 },
    "Failed 3 separate times on stable branches, and passed in between",
  ],
  [
    { code: "FAILS_EACH_TIME", failures: 3, tree: "0123456789" },
    "Failed 3 times in a row on stable branches, last on tree 0123456",
  ],
  [{ code: "PASSED_AGAIN", tree: "0123456789" }, "Passed again, on tree 0123456"],
  [{ code: "RECOVERED", runs: 59 }, "Passed 59 times in a row, more than it would if it were still flaky"],
])("%j in words", (reason, words) => {
  expect(renderStatusReason(reason)).toBe(words);
});

function play(observations: readonly Observation[], count?: RunCount): TestHistory {
  return observations.reduce((history, one) => observe(history, one, context(count)), newHistory(0));
}

function context(count: RunCount = { runs: 20, failures: 10 }) {
  return { settings: defaultDetectionSettings, countRuns: () => count };
}

function flip(at: number, together: number): Observation {
  return { kind: "flip", at, tree: "tree", weight: flipWeight(together) };
}

/** One run each hour, each on its own tree. */
function stable(runs: string) {
  return [...runs].map((run, at) => ({
    kind: "run" as const,
    at: at * hour,
    tree: `tree ${at}`,
    branch: "stable" as const,
    outcome: run === "F" ? ("failed" as const) : ("passed" as const),
  }));
}

function passes(count: number, apart: number, from = 0): Observation[] {
  return stable("P".repeat(count)).map((run, at) => ({ ...run, at: from + (at + 1) * apart }));
}
