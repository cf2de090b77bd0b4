import { describe, expect, test } from "@jest/globals";
import { Roster } from "../../src/replay/workload/roster.ts";
import { Truth } from "../../src/replay/workload/truth.ts";
import { smallWorkload, writtenWorkload } from "./build-workload.ts";

describe("the simulated truth", () => {
  const workload = writtenWorkload({
    pullRequests: [{ fails: true }, {}, {}, { at: 100 }, {}],
    conflicts: [
      [2, 3],
      [2, 4],
    ],
  });
  // #1 fails. #2 conflicts with #3 and with #4, which comes last, a hundred minutes later.
  const byNumber = (truth: Truth, roster: Roster) => ({
    passes: (...prs: number[]) =>
      truth.passes(
        prs.map((n) => roster.indexOf(n)),
        truth.baseSize,
      ),
    merge: (n: number, at: number) => truth.merge(roster.indexOf(n), at),
    isBad: (n: number) => truth.isBad(roster.indexOf(n)),
  });
  const create = () => {
    const roster = new Roster({
      ...workload,
      pullRequests: workload.pullRequests.toSorted((a, b) => a.at - b.at),
    });
    return byNumber(new Truth(roster), roster);
  };

  test("lets a tree pass unless a pull request in it fails or conflicts", () => {
    const truth = create();
    expect(truth.passes(2, 5)).toBe(true);
    expect(truth.passes(1)).toBe(false);
    expect(truth.passes(5, 1, 2)).toBe(false);
    expect(truth.passes(3, 5, 2)).toBe(false);
    expect(truth.passes(3, 4)).toBe(true);
  });

  test("lets a merged pull request conflict with one written before the merge, but not with one written long after", () => {
    const truth = create();
    expect(truth.merge(2, 30)).toBe(false);
    expect(truth.isBad(3)).toBe(true);
    expect(truth.passes(3)).toBe(false);
    expect(truth.isBad(4)).toBe(false);
    expect(truth.passes(4, 5)).toBe(true);
  });

  test("judges a tree on the base that it was built on, not on the current base", () => {
    const roster = new Roster(writtenWorkload({ pullRequests: [{}, {}], conflicts: [[1, 2]] }));
    const truth = new Truth(roster);
    truth.merge(0, 5);
    expect(truth.passes([1], 0)).toBe(true);
    expect(truth.passes([1], 1)).toBe(false);
  });

  test("reverts a merge that breaks the base at once", () => {
    const truth = create();
    expect(truth.merge(1, 5)).toBe(true);
    expect(truth.passes(2)).toBe(true);
  });

  test("lets runs flake at the given rate, only by seed and run number", () => {
    const truth = new Truth(new Roster(smallWorkload({ flakeRate: 0.05 })));
    const again = new Truth(new Roster(smallWorkload({ flakeRate: 0.05 })));
    const runs = Array.from({ length: 10_000 }, (_, index) => index + 1);
    const flaky = runs.filter((run) => truth.flakes(run, 0));
    expect(flaky.length / runs.length).toBeCloseTo(0.05, 2);
    expect(runs.toReversed().filter((run) => again.flakes(run, 0))).toEqual(flaky.toReversed());
  });
});
