import { describe, expect, test } from "@jest/globals";
import { groupByCause } from "../../src/flaky/failure/common-causes.ts";
import { costOf, type FailedRun } from "../../src/flaky/failure/test-cost.ts";

const runsOf = (tests: Readonly<Record<number, readonly number[]>>) =>
  new Map(Object.entries(tests).map(([sk, runs]) => [Number(sk), new Set(runs)]));

describe("tests have one cause", () => {
  test.each([
    ["if they fail in the same runs", { 1: [1, 2, 3], 2: [1, 2, 3], 3: [4, 5, 6] }, [[1, 2], [3]]],
    ["if they nearly always do", { 1: [1, 2, 3, 4], 2: [1, 2, 3] }, [[1, 2]]],
    ["but not if one also fails alone", { 1: [1, 2, 3, 4, 5], 2: [1, 2, 3] }, [[1], [2]]],
    ["but not after two common failures", { 1: [1, 2], 2: [1, 2] }, [[1], [2]]],
    ["but not if they never fail", { 1: [], 2: [] }, [[1], [2]]],
  ])("%s", (_what, tests, groups) => {
    expect(groupByCause(runsOf(tests))).toEqual(groups);
  });
});

describe("a cost", () => {
  const now = 100 * 86_400_000;
  const minute = 60_000;
  const run = (upload: number, more: Partial<FailedRun> = {}): FailedRun => {
    const at = now - minute * 1_000 + upload * minute;
    const nothing = { isInQueue: false, next: null, testsMs: null, testRun: null };
    return { sk: 1, upload, at, isCounted: true, pr: 7, ...nothing, ...more };
  };
  const nextOf = (upload: number) => ({ upload, at: run(upload).at });

  test("counts the time from the first failure in a row to the run without it, once", () => {
    const runs = [run(3, { next: nextOf(9) }), run(1, { next: nextOf(3) })];
    expect(costOf(runs, now)).toMatchObject({ heldUpMs: 8 * minute, failedRuns: 2 });
    expect(costOf(runs.map((one) => ({ ...one, sk: 2 })).concat(runs), now).heldUpMs).toBe(8 * minute);
  });

  test("counts no time if nothing was run again, or no pull request waited", () => {
    expect(costOf([run(3), run(1, { next: nextOf(3) })], now).heldUpMs).toBe(0);
    expect(costOf([run(1, { next: nextOf(2), pr: null })], now).heldUpMs).toBe(0);
  });

  test("counts the time of the tests of each run outside the queue that was run again, where it is known", () => {
    const runs = [
      run(1, { next: nextOf(2), testsMs: minute }),
      run(2, { next: nextOf(3), testsMs: 2 * minute, pr: null }),
      run(3, { next: nextOf(4) }),
      run(4, { testsMs: 4 * minute }),
      run(5, { next: nextOf(6), testsMs: 8 * minute, isCounted: false }),
      run(6, { next: nextOf(7), testsMs: 16 * minute, isInQueue: true }),
    ];
    expect(costOf(runs.map((one) => ({ ...one, sk: 2 })).concat(runs), now).outsideMs).toBe(3 * minute);
    expect(costOf(runs.slice(2), now).outsideMs).toBeNull();
  });

  test("counts the time of each test run of the queue once, where the failure was not forgiven", () => {
    const [one, other] = [
      { id: "one", ms: minute },
      { id: "other", ms: 2 * minute },
    ];
    const runs = [
      run(1, { testRun: one }),
      run(2, { testRun: one }),
      run(3, { testRun: other }),
      run(4, { testRun: { id: "forgiven", ms: 4 * minute }, isCounted: false }),
      run(5),
    ];
    expect(costOf(runs.map((same) => ({ ...same, sk: 2 })).concat(runs), now).queueMs).toBe(3 * minute);
    expect(costOf(runs.slice(3), now).queueMs).toBeNull();
  });

  test("counts pull requests once, and none whose failure was forgiven or is older than a week", () => {
    const old = { at: now - 8 * 86_400_000, pr: 9 };
    const { pullRequests, failedRuns, failedRunsBefore } = costOf(
      [run(1), run(2), run(3, { isCounted: false, pr: 8 }), run(4, old)],
      now,
    );
    expect([[...pullRequests], failedRuns, failedRunsBefore]).toEqual([[7], 3, 1]);
  });
});
