import { describe, expect, test } from "@jest/globals";
import { flakyPlacesOf, isFlakyAt } from "../../src/flaky/detection/flaky-failures.ts";
import { flipsBetween, flipWeight } from "../../src/flaky/detection/flips.ts";
import { newHistory, observe, statusOf, type TestHistory } from "../../src/flaky/detection/history.ts";
import { isSuspect } from "../../src/flaky/detection/infrastructure.ts";
import type { Observation } from "../../src/flaky/detection/line-history.ts";
import { pullRequestName, type RunSource } from "../../src/flaky/detection/pull-requests.ts";
import { cleanRunsNeeded, failureRate, type RunCount } from "../../src/flaky/detection/recovery.ts";
import { addRun, isFlakyByCusum, restingCusum } from "../../src/flaky/detection/sequential-tests.ts";
import { day, defaultDetectionSettings, hour, minute } from "../../src/flaky/detection/settings.ts";
import { renderStatusReason, type StatusReason } from "../../src/flaky/detection/status.ts";
import { isFlip } from "../../src/flaky/report/test-execution.ts";
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
  ])("with this number of failures is suspect or not: %s (case %#)", (_what, size, recent, expected) => {
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

  test("show which tests flip, in either order", () => {
    expect(flipsBetween(run([3, 4]), run([4, 5]))).toEqual({ tests: ["t3", "t5"], weight: 1 });
    expect(flipsBetween(run([4, 5]), run([3, 4])).tests).toEqual(["t3", "t5"]);
  });

  test("show flips only of the tests that both ran", () => {
    expect(flipsBetween(run([3]), run([], 4)).tests).toEqual(["t3"]);
    expect(flipsBetween(run([3]), run([], 3)).tests).toEqual([]);
  });

  test("show no flips if one run is suspect", () => {
    expect(flipsBetween(run([3], 30, true), run([]))).toEqual({ tests: [], weight: 0 });
  });

  test.each([
    [1, 1],
    [2, 1],
    [3, 0.4],
    [10, 0.4],
    [11, 0.25],
    [900, 0.25],
    [0, 0],
  ])("in which %i tests flip at once give each flip the weight %d", (tests, weight) => {
    expect(flipWeight(tests)).toBe(weight);
  });
});

describe("a test that passes and fails on one tree", () => {
  test("is flaky at once if few tests flip with it", () => {
    const history = play([flip(0, 1)]);
    expect(statusOf(history)).toEqual({
      status: "FLAKY",
      at: 0,
      reason: { code: "FLIPPED_ON_ONE_TREE", tree: "tree", episodes: 1 },
    });
  });

  test.each([
    ["2 and 4 hours", [2 * hour, 4 * hour], "FLAKY"],
    ["2 hours", [2 * hour], "HEALTHY"],
    ["30 minutes and 2 hours", [30 * minute, 2 * hour], "HEALTHY"],
    ["15 and 16 days", [15 * day, 16 * day], "HEALTHY"],
  ])("among eight tests, and %s later among five, is %3$s", (_what, later, status) => {
    expect(statusOf(play([flip(0, 8), ...later.map((at) => flip(at, 5))])).status).toBe(status);
  });

  test("is flaky at the fourth flip among many tests", () => {
    const times = [0, 1, 2, 3].map((at) => flip(at * day, 50));
    expect(statusOf(play(times.slice(0, 3))).status).toBe("HEALTHY");
    expect(statusOf(play(times))).toMatchObject({ at: 3 * day, status: "FLAKY", reason: { episodes: 4 } });
  });

  test("is judged by its heaviest flip within an hour", () => {
    expect(statusOf(play([flip(0, 8), flip(30 * minute, 1)])).status).toBe("FLAKY");
  });

  test.each([
    ["surefire-reruns", 1],
    ["gradle-retries", 1],
    ["nextest", 2],
    ["pytest", 0],
  ])("is found in one report of %s, with the number of tests: %i", (name, flips) => {
    expect([...readReport(fixture(name)).runs].filter(isFlip)).toHaveLength(flips);
  });
});

describe("a test on a stable branch", () => {
  test.each([
    ["FPFPF", [3.912, 7.774, 11.635], true],
    [`${"P".repeat(10)}F${"P".repeat(10)}F${"P".repeat(10)}F`, [3.912, 7.321, 10.73], true],
    [`${"P".repeat(2_000)}F`.repeat(3), [3.912, 3.912, 3.912], false],
    ["PPPPPFFFFPPPPP", [3.912, 3.912, 3.912, 3.912], false],
  ])("with the results %s has at its failures the scores %j", (runs, scores, isFlaky) => {
    let cusum = restingCusum;
    const seen: number[] = [];
    for (const run of runs) {
      cusum = addRun(cusum, run === "F" ? "failed" : "passed");
      if (run === "F") seen.push(Math.round(cusum.score * 1_000) / 1_000);
    }
    expect([seen, isFlakyByCusum(cusum)]).toEqual([scores, isFlaky]);
    expect(play(stable(runs)).changes.some(({ status }) => status === "FLAKY")).toBe(isFlaky);
  });

  test("that fails once in a hundred runs is flaky from its fourth failure", () => {
    const { changes } = play(stable(`${"P".repeat(99)}F`.repeat(5)), { runs: 400, failures: 4 });
    expect(changes.map(({ status, at }) => [status, at / hour])).toEqual([
      ["HEALTHY", 0],
      ["FLAKY", 399],
    ]);
  });

  test("that fails every time is broken from its third failure, and healthy from the next pass", () => {
    const { changes } = play(stable("PPPPPFFFFPPPPP"));
    expect(changes.map(({ status, at }) => [status, at / hour])).toEqual([
      ["HEALTHY", 0],
      ["BROKEN", 7],
      ["HEALTHY", 9],
    ]);
  });

  test("that fails every time on one tree is not broken", () => {
    expect(statusOf(play(stable("FFFFF").map((run) => ({ ...run, tree: "tree" })))).status).toBe("HEALTHY");
  });

  test("that is flaky and then broken is flaky again once it passes", () => {
    const { changes } = play(stable("FPFPFPFFFP"));
    expect(changes.map(({ status }) => status)).toEqual(["HEALTHY", "FLAKY", "BROKEN", "FLAKY"]);
  });
});

describe("a test without flips", () => {
  test("does not change its history by failing on pull requests", () => {
    const source = { kind: "pr", name: "#7" } as const;
    expect(play(stable("FFFFFPFPFPF").map((run) => ({ ...run, source })))).toEqual(newHistory(0));
  });

  test("stays healthy while it fails in the queue", () => {
    const source = { kind: "queue", name: "tree" } as const;
    const runs = stable(`${"F".repeat(4)}${"FP".repeat(6)}`).map((run) => ({ ...run, source }));
    expect(play(runs).changes.map(({ status }) => status)).toEqual(["HEALTHY"]);
  });

  test("stays healthy after one failed and one passed run", () => {
    expect(statusOf(play([...stable("F"), ...stable("P")])).status).toBe("HEALTHY");
  });
});

describe("a flaky test", () => {
  test.each([
    [0.2, 24],
    [0.05, 104],
    [0.01, 528],
    [0.005, 1058],
  ])("that fails at a rate of %d recovers after %i clean runs", (rate, runs) => {
    const recovery = { ...defaultDetectionSettings.recovery, leastRuns: 1 };
    expect(cleanRunsNeeded(rate, { ...defaultDetectionSettings, recovery })).toBe(runs);
  });

  test.each([
    [0.5, 20],
    [1e-6, 2_000],
  ])("that fails at a rate of %d needs at least 20 and at most 2,000 clean runs: %i", (rate, runs) => {
    expect(cleanRunsNeeded(rate)).toBe(runs);
  });

  test("is healthy after exactly the number of clean runs that its rate requires", () => {
    const count = { runs: 109, failures: 5 };
    expect(failureRate(count)).toBe(0.05);
    const runs = passes(104, hour);
    expect(statusOf(play([flip(0, 1), ...runs.slice(0, 103)], count)).status).toBe("FLAKY");
    expect(statusOf(play([flip(0, 1), ...runs], count))).toMatchObject({
      status: "HEALTHY",
      reason: { code: "RECOVERED", runs: 104 },
    });
  });

  test("is not healthy within a day, however often it passes", () => {
    expect(statusOf(play([flip(0, 1), ...passes(1_000, minute)])).status).toBe("FLAKY");
  });

  test("restarts its recovery with each failure", () => {
    const source = { kind: "pr", name: "#7" };
    const failure = { ...stable("F")[0], at: 103 * hour, source } as Observation;
    const runs = [flip(0, 1), ...passes(103, hour), failure, ...passes(103, hour, 105 * hour)];
    expect(statusOf(play(runs, { runs: 109, failures: 5 })).status).toBe("FLAKY");
  });

  test("that has recovered is not flaky because of earlier flips", () => {
    const history = play([flip(0, 1), ...passes(40, hour), flip(50 * hour, 8)]);
    expect(statusOf(history).status).toBe("HEALTHY");
  });
});

describe("a test that flips in changes that are on no stable branch", () => {
  const flipsIn = (...sources: readonly RunSource[]) =>
    sources.map((source, at) => flip(at * hour, 1, source));
  const statusAfter = (...sources: readonly RunSource[]) => statusOf(play(flipsIn(...sources))).status;
  const four = [1, 2, 3, 4].map((pr) => inPullRequest(pr));

  test.each<[what: string, status: string, last: RunSource]>([
    ["another one", "FLAKY", inPullRequest(5)],
    ["a stable branch", "FLAKY", onStable("other")],
    ["a test of the base alone in the queue", "FLAKY", { kind: "queue", name: "tree", changes: [] }],
    ["a queue's test of another one", "FLAKY", { kind: "queue", name: "tree", changes: ["#5", "c5"] }],
    ["a queue's test of one of them", "HEALTHY", { kind: "queue", name: "tree", changes: ["#4", "#3"] }],
    ["one of them", "HEALTHY", inPullRequest(4)],
    ["one that shares a commit", "HEALTHY", { kind: "pr", name: "#5", changes: ["#5", "c4"] }],
    ["one whose commits are unknown", "HEALTHY", { kind: "pr", name: "#5" }],
  ])("is, after four of them and %s, %s", (_what, status, last) => {
    expect([statusAfter(...four), statusAfter(...four, last)]).toEqual(["HEALTHY", status]);
  });

  test("counts changes as one that another one joins", () => {
    const joining: RunSource = { kind: "pr", name: "#9", changes: ["#9", "c1", "c2"] };
    expect(statusAfter(...four, joining, inPullRequest(5))).toBe("HEALTHY");
    expect(statusAfter(...four, joining, inPullRequest(5), inPullRequest(6))).toBe("FLAKY");
  });

  test("counts five changes within an hour, also after six pull requests of one stack", () => {
    const stack = [11, 12, 13, 14, 15, 16].map((pr) => ({ ...inPullRequest(pr), changes: [`#${pr}`, "c1"] }));
    const judged = (...sources: readonly RunSource[]) =>
      statusOf(play(sources.map((source) => flip(0, 1, source)))).status;
    expect(judged(...stack, ...four)).toBe("HEALTHY");
    expect(judged(...stack, ...four, inPullRequest(5))).toBe("FLAKY");
    expect(judged(...stack, ...four.slice(1), onStable("other"))).toBe("FLAKY");
  });

  test("is flaky once the tree that the queue tested flips on a stable branch, within the same hour", () => {
    const queued: RunSource = { kind: "queue", name: "tree", changes: ["#1", "c1"] };
    expect(statusOf(play([flip(0, 1, queued)])).status).toBe("HEALTHY");
    expect(statusOf(play([flip(0, 1, queued), flip(minute, 1, onStable("tree"))])).status).toBe("FLAKY");
  });

  test("remembers all commits of a pull request that is rebased within an hour", () => {
    const rebased: RunSource = { kind: "pr", name: "#1", changes: ["#1", "new"] };
    const above: RunSource = { kind: "pr", name: "#5", changes: ["#5", "new"] };
    const flips = [...four, rebased].map((source) => flip(0, 1, source));
    expect(statusOf(play([...flips, flip(2 * hour, 1, above)])).status).toBe("HEALTHY");
  });

  test("needs fewer failures on stable branches to be flaky than a test that never flipped", () => {
    const runs = stable("FPPF").map((run) => ({ ...run, at: run.at + hour }));
    expect(statusOf(play(runs)).status).toBe("HEALTHY");
    expect(statusOf(play([flip(0, 1, inPullRequest(7)), ...runs])).status).toBe("FLAKY");
  });
});

describe("a flaky test that now fails every time", () => {
  const usual: RunCount = { runs: 101, failures: 6 };
  const failures = (...sources: readonly RunSource[]) =>
    sources.map((source, at): Observation => {
      const tree = `tree ${at}`;
      const run = { kind: "run", outcome: "failed", isRerun: false, isNewMessage: false } as const;
      return { ...run, at: (at + 1) * hour, tree, source };
    });

  test("is broken after a few failures in different pull requests", () => {
    const runs = failures(inPullRequest(1), inPullRequest(2));
    expect(statusOf(play([flip(0, 1), ...runs], usual))).toMatchObject({
      status: "BROKEN",
      reason: { code: "FAILS_EVERYWHERE", failures: 2 },
    });
  });

  test("is not forgiven in the only pull request that breaks it", () => {
    const history = play([flip(0, 1), ...failures(inPullRequest(1), inPullRequest(1))], usual);
    const places = flakyPlacesOf(history, defaultDetectionSettings);
    const isFlaky = (pr: number) =>
      isFlakyAt(places, { at: day, line: "main", pullRequests: [pullRequestName(pr)] });
    expect(statusOf(history).status).toBe("FLAKY");
    expect([isFlaky(1), isFlaky(2)]).toEqual([false, true]);
  });

  test.each<[runs: string, often: number, isFlaky: boolean]>([
    ["F", 31, true],
    ["N", 31, false],
    ["FF", 31, false],
    ["NP", 31, false],
    ["NPP", 31, true],
    ["FPF", 31, true],
    ["PF", 31, true],
    ["F", 3, true],
    ["FFPF", 3, false],
  ])(
    "is forgiven in a pull request with the runs %s, of which N fails with a new message, if it fails in %i % of all runs: %j",
    (runs, failed, isFlaky) => {
      const observed = [...runs].map((run, at): Observation => {
        const outcome = run === "P" ? "passed" : "failed";
        const is = { kind: "run", outcome, isRerun: at > 0, isNewMessage: run === "N" } as const;
        return { ...is, at: (at + 1) * hour, tree: `tree ${at}`, source: inPullRequest(1) };
      });
      const history = play([flip(0, 1), ...observed], { runs: 101, failures: failed });
      const places = flakyPlacesOf(history, defaultDetectionSettings);
      expect(isFlakyAt(places, { at: day, line: "main", pullRequests: ["#1"] })).toBe(isFlaky);
    },
  );

  test("is found broken later if it often fails anyway, and sooner with a new failure message", () => {
    const often: RunCount = { runs: 101, failures: 31 };
    const runs = failures(inPullRequest(1), inPullRequest(2), inPullRequest(3));
    expect(statusOf(play([flip(0, 1), ...runs], often)).status).toBe("FLAKY");
    const news = runs.map((run) => ({ ...run, isNewMessage: true }) as Observation);
    expect(statusOf(play([flip(0, 1), ...news], often)).status).toBe("BROKEN");
  });

  test("is flaky again once it passes as often as it used to", () => {
    const runs = failures(inPullRequest(1), inPullRequest(2));
    const passed = passes(6, hour, 5 * hour).map(
      (run) => ({ ...run, source: inPullRequest(3) }) as Observation,
    );
    expect(statusOf(play([flip(0, 1), ...runs, ...passed], usual)).status).toBe("FLAKY");
  });
});

test("a test that is broken on one stable branch and flaky on another is forgiven only where it is flaky", () => {
  const tell = (history: TestHistory, line: string, all: readonly Observation[]) =>
    all.reduce((before, one) => observe(before, line, one, context()), history);
  const history = tell(tell(newHistory(0), "main", [flip(0, 1)]), "release", stable("FFFF"));
  const places = flakyPlacesOf(history, defaultDetectionSettings);
  const isFlaky = (line: string) => isFlakyAt(places, { at: day, line, pullRequests: [] });
  expect([isFlaky("main"), isFlaky("release"), isFlaky("other")]).toEqual([true, false, false]);
});

test("a history keeps fifty changes, and does not grow for a test that only passes", () => {
  const long = play(stable("FFFP".repeat(100)));
  expect(long.changes).toHaveLength(50);
  const healthy = newHistory(0);
  expect(observe(healthy, "main", stable("P")[0] as Observation, context())).toBe(healthy);
});

test.each<[StatusReason, string]>([
  [{ code: "NOTHING_KNOWN" }, "No sign of flakiness"],
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
  [
    { code: "FAILS_EVERYWHERE", failures: 4, tree: "0123456789" },
    "Failed 4 times in different changes, which flakiness does not explain, last on tree 0123456",
  ],
  [{ code: "PASSED_AGAIN", tree: "0123456789" }, "Passed again, on tree 0123456"],
  [{ code: "RECOVERED", runs: 59 }, "Passed 59 times in a row, more than it would if it were still flaky"],
])("the status reason %j is rendered in words", (reason, words) => {
  expect(renderStatusReason(reason)).toBe(words);
});

function play(observations: readonly Observation[], count?: RunCount): TestHistory {
  return observations.reduce((history, one) => observe(history, "main", one, context(count)), newHistory(0));
}

function context(count: RunCount = { runs: 20, failures: 10 }) {
  return { settings: defaultDetectionSettings, countRuns: () => count };
}

function flip(at: number, together: number, source: RunSource = onStable("tree")): Observation {
  return { kind: "flip", at, tree: "tree", source, weight: flipWeight(together) };
}

function onStable(name: string): RunSource {
  return { kind: "stable", name };
}

function inPullRequest(pr: number): RunSource {
  return { kind: "pr", name: pullRequestName(pr), changes: [pullRequestName(pr), `c${pr}`] };
}

/** One run each hour, each on its own tree. */
function stable(runs: string) {
  return [...runs].map((run, at) => ({
    kind: "run" as const,
    at: at * hour,
    tree: `tree ${at}`,
    source: onStable(`tree ${at}`),
    outcome: run === "F" ? ("failed" as const) : ("passed" as const),
    isRerun: false,
    isNewMessage: false,
  }));
}

function passes(count: number, apart: number, from = 0): Observation[] {
  return stable("P".repeat(count)).map((run, at) => ({ ...run, at: from + (at + 1) * apart }));
}
