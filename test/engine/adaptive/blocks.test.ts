import { describe, expect, test } from "@jest/globals";
import { line, runOf } from "../transitions/adaptive-queue.ts";

describe("a single-mode queue without batches", () => {
  test("fails a pull request at its first failed run when it has one slot, once something else passes", () => {
    const queue = line({}, 1, 2);
    queue.built(1);
    queue.fails(1);
    expect(queue.stateOf(1)).toBe("pending_failure");
    expect(queue.run(2)).toMatchObject({ ahead: [], state: "building" });
    queue.built(2);
    queue.passes(2);
    expect(queue.stateOf(1)).toBe("failed");
  });

  test("holds a passed pull request behind an undecided one until that one passes", () => {
    const queue = line({ concurrency: 2 }, 1, 2);
    queue.built(1, 2);
    queue.passes(2);
    expect(queue.state.merge).toBeNull();
    queue.passes(1);
    queue.merges();
    expect(queue.state.merge?.steps.map(({ pr }) => pr)).toEqual([2]);
  });

  test("merges a pull request that passed without the failing one ahead of it", () => {
    const queue = line({ concurrency: 3 }, 1, 2);
    queue.built(1);
    const without = runOf(queue, [2], []);
    queue.runBuilt(without);
    queue.runEnds(without, "success");
    expect(queue.state.merge).toBeNull();
    queue.fails(1);
    expect(queue.state.merge?.steps.map(({ pr }) => pr)).toEqual([2]);
    queue.merges();
    expect([queue.stateOf(1), queue.stateOf(2)]).toEqual(["pending", "merged"]);
  });
});

describe("a failed batch", () => {
  test("has every member tested by itself, and every member except the culprit merges", () => {
    const queue = line({ batch: true, batchingMinSize: 4, concurrency: 4 }, 1, 2, 3, 4);
    queue.built(1);
    queue.fails(1);
    for (const pr of [1, 2, 3, 4]) expect(queue.run(pr)).toMatchObject({ ahead: [], members: [pr] });
    queue.built(1, 2, 3, 4);
    queue.passes(1, 3, 4);
    queue.fails(2);
    while (queue.stateOf(2) !== "failed") {
      queue.built(2);
      queue.fails(2);
    }
    for (let left = 20; queue.state.entries.size > 0 && left > 0; left--) {
      queue.passesTime(5);
      for (const run of queue.state.runs.values()) if (run.state === "building") queue.runBuilt(run);
      for (const run of queue.state.runs.values()) if (run.state === "running") queue.runEnds(run, "success");
      while (queue.state.merge) queue.merges();
    }
    expect([1, 2, 3, 4].map((pr) => queue.stateOf(pr))).toEqual(["merged", "failed", "merged", "merged"]);
  });
});
