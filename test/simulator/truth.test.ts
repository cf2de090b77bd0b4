import { describe, expect, test } from "@jest/globals";
import { Roster } from "../../src/replay/workload/roster.ts";
import { Truth } from "../../src/replay/workload/truth.ts";
import { smallWorkload, writtenWorkload } from "./build-workload.ts";

describe("the truth", () => {
  const workload = writtenWorkload({
    pullRequests: [{ fails: true }, {}, {}, { at: 100 }, {}],
    conflicts: [
      [2, 3],
      [2, 4],
    ],
  });
  // By index: 0 fails; 1 conflicts with 2 and 3, which comes a hundred minutes later, last of all.
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

  test("a tree passes unless something in it fails or conflicts", () => {
    const truth = create();
    expect(truth.passes(2, 5)).toBe(true);
    expect(truth.passes(1)).toBe(false);
    expect(truth.passes(5, 1, 2)).toBe(false);
    expect(truth.passes(3, 5, 2)).toBe(false);
    expect(truth.passes(3, 4)).toBe(true);
  });

  test("what has merged conflicts with what was written before that, and not with what was written long after", () => {
    const truth = create();
    expect(truth.merge(2, 30)).toBe(false);
    expect(truth.isBad(3)).toBe(true);
    expect(truth.passes(3)).toBe(false);
    expect(truth.isBad(4)).toBe(false);
    expect(truth.passes(4, 5)).toBe(true);
  });

  test("a tree stands on the base as it was, not as it is", () => {
    const roster = new Roster(writtenWorkload({ pullRequests: [{}, {}], conflicts: [[1, 2]] }));
    const truth = new Truth(roster);
    truth.merge(0, 5);
    expect(truth.passes([1], 0)).toBe(true);
    expect(truth.passes([1], 1)).toBe(false);
  });

  test("a merge that breaks the base is reverted at once", () => {
    const truth = create();
    expect(truth.merge(1, 5)).toBe(true);
    expect(truth.passes(2)).toBe(true);
  });

  test("runs flake by seed and number alone, as often as they should", () => {
    const truth = new Truth(new Roster(smallWorkload({ flakeRate: 0.05 })));
    const again = new Truth(new Roster(smallWorkload({ flakeRate: 0.05 })));
    const runs = Array.from({ length: 10_000 }, (_, index) => index + 1);
    const flaky = runs.filter((run) => truth.flakes(run, 0));
    expect(flaky.length / runs.length).toBeCloseTo(0.05, 2);
    expect(runs.toReversed().filter((run) => again.flakes(run, 0))).toEqual(flaky.toReversed());
  });
});
