import { describe, expect, test } from "@jest/globals";
import { Neighbourhood } from "../../src/replay/workload/roster.ts";
import { generateWorkload } from "../../tools/simulator/workload/generate-workload.ts";
import { presets } from "../../tools/simulator/workload/model.ts";

const { model } = presets.github;

describe("a generated workload", () => {
  const workload = generateWorkload({ ...model, rate: 500 });
  const { pullRequests, conflicts } = workload;
  const share = (count: number, of: number) => count / of;

  test("is the same for the same seed, and differs for another seed", () => {
    expect(generateWorkload({ ...model, rate: 500 })).toEqual(workload);
    expect(generateWorkload({ ...model, rate: 500, seed: 2 }).pullRequests[0]).not.toEqual(pullRequests[0]);
  });

  test("has the requested shares", () => {
    expect(pullRequests).toHaveLength(4000);
    expect(pullRequests.at(-1)?.at).toBeCloseTo(480, -2);
    expect(share(pullRequests.filter(({ fails }) => fails).length, 4000)).toBeCloseTo(0.05, 1);
    const neighbourhood = new Neighbourhood(pullRequests.map(({ targets }) => targets));
    const pairs = pullRequests.reduce((sum, _one, index) => sum + neighbourhood.of(index).length, 0) / 2;
    expect(share(pairs, (4000 * 3999) / 2)).toBeCloseTo(0.006, 3);
    expect(share(conflicts.length, pairs)).toBeCloseTo(0.04, 2);
  });

  test("has a predictor that gives bad pull requests a higher risk, and is right on average", () => {
    const mean = (fails: boolean) => {
      const risks = pullRequests.filter((one) => one.fails === fails).map(({ risk }) => risk ?? 0);
      return risks.reduce((sum, risk) => sum + risk, 0) / risks.length;
    };
    expect(mean(true)).toBeGreaterThan(10 * mean(false));
    expect(mean(true) * 0.05 + mean(false) * 0.95).toBeCloseTo(0.05, 1);
  });

  test("hides conflicts behind targets only on request", () => {
    const hidden = (hiddenConflictShare: number) => {
      const drawn = generateWorkload({ ...model, hiddenConflictShare });
      const neighbourhood = new Neighbourhood(drawn.pullRequests.map(({ targets }) => targets));
      return drawn.conflicts.filter(({ a, b }) => !neighbourhood.has(a - 1, b - 1)).length;
    };
    expect(hidden(0)).toBe(0);
    expect(hidden(0.001)).toBeGreaterThan(100);
  });
});

describe("the pull requests that share a target", () => {
  const neighbourhood = new Neighbourhood([["a", "b"], [], ["b"], "ALL", ["c", "c"], ["a", "c"]]);

  test.each([
    [0, [2, 3, 5]],
    [1, []],
    [2, [0, 3]],
    [3, [0, 2, 4, 5]],
    [4, [3, 5]],
    [5, [0, 3, 4]],
  ])("%i with %j", (index, others) => {
    expect([...neighbourhood.of(index)]).toEqual(others);
    expect([0, 1, 2, 3, 4, 5].filter((other) => neighbourhood.has(index, other))).toEqual(others);
  });
});
