import { describe, expect, test } from "@jest/globals";
import { TargetSet } from "../../../src/engine/collections/target-set.ts";
import { lane, runOf } from "../transitions/adaptive-queue.ts";

describe("the search for a culprit", () => {
  test("blames the pull request that all failed runs contain, however many runs failed", () => {
    const behind = Array.from({ length: 12 }, (_, index) => index + 2);
    const queue = lane({ concurrency: 13 });
    queue.targets = (pr) => TargetSet.of(pr === 1 ? behind : [pr]);
    for (const pr of [1, ...behind]) queue.submit(pr);
    queue.built(1, ...behind);
    for (const pr of behind) queue.runEnds(runOf(queue, [pr], [1]), "failure");
    expect(queue.stateOf(1)).toBe("testing");
    queue.fails(1);
    // All those failures are from a time in which nothing passed.
    queue.failsToTheEnd(1);
    expect(queue.stateOf(1)).toBe("failed");
    for (const pr of behind) {
      queue.built(pr);
      queue.passes(pr);
      queue.merges();
    }
    expect(behind.map((pr) => queue.stateOf(pr))).toEqual(behind.map(() => "merged"));
  });

  test("blames the pull request whose own run fails again, not the many that its run contained", () => {
    const ahead = Array.from({ length: 13 }, (_, index) => index + 1);
    const queue = lane({ concurrency: 30 }, ...ahead, 14);
    queue.built(...ahead, 14);
    queue.fails(14);
    expect(queue.log.flatMap(({ data }) => (data.type === "entry_suspected" ? [data.pr] : []))).toEqual([]);
    queue.passes(...ahead);
    for (const pr of ahead) if (queue.stateOf(pr) !== "merged") queue.merges();
    while (queue.stateOf(14) !== "failed") {
      queue.built(14);
      queue.fails(14);
    }
    expect(ahead.map((pr) => queue.stateOf(pr))).toEqual(ahead.map(() => "merged"));
  });

  test("does not end with a single failure, even where flakes are very rare", () => {
    const queue = lane({ concurrency: 4 });
    for (let pr = 1; pr <= 600; pr++) {
      queue.submit(pr);
      queue.built(pr);
      queue.passes(pr);
      queue.merges();
    }
    queue.submit(601);
    queue.built(601);
    queue.fails(601);
    expect(queue.stateOf(601)).toBe("pending");
    queue.built(601);
    queue.passes(601);
    queue.merges();
    expect(queue.stateOf(601)).toBe("merged");
  });

  test("does not retest a failed pull request while a successor is under test and slots are scarce", () => {
    const queue = lane({ concurrency: 3 });
    queue.targets = (pr) => TargetSet.of(pr === 1 ? [1] : [2]);
    for (const pr of [1, 2, 3]) queue.submit(pr);
    queue.built(1, 2, 3);
    queue.fails(1);
    queue.configure({ concurrency: 1 });
    queue.fails(2);
    expect(queue.stateOf(2)).toBe("pending_failure");
    expect(queue.testing).toEqual([3, 1]);
    queue.fails(3);
    // Nothing has passed so far, so that the base may be at fault.
    expect(queue.stateOf(2)).toBe("pending_failure");
    expect(queue.state.history.failing).toContain(2);
  });
});
