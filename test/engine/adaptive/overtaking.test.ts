import { describe, expect, test } from "@jest/globals";
import { TargetSet } from "../../../src/engine/collections/target-set.ts";
import type { QueueHarness } from "../queue-harness.ts";
import { lane, runOf } from "../transitions/adaptive-queue.ts";

const behindCulprit = Array.from({ length: 12 }, (_, index) => 31 + index);

/** The dependencies: #20 and #21 depend on #10 and #2, #10 depends on #1, and #31 to #42 depend on #2. */
const impacts: Readonly<Record<number, readonly number[]>> = {
  1: [1],
  10: [1, 102, 103],
  2: [202, 203, ...behindCulprit],
  20: [102, 202],
  21: [103, 203],
};

function merge(queue: QueueHarness, pr: number): void {
  queue.submit(pr);
  queue.built(pr);
  queue.passes(pr);
  queue.merges();
}

/**
 * #2 failed together with #20 and with #21. It never failed by itself, because CI did not start its own runs. #20 and #21 are proved
 * without #2 and wait for #10, which waits for #1. The pull requests in `overtakenBy` merged past #2 while it was tested.
 */
function culprit(queue: QueueHarness, overtakenBy: readonly number[]): void {
  queue.targets = (pr) => TargetSet.of([...(impacts[pr] ?? [pr])]);
  for (const pr of [1, 10, 2, 20, 21]) queue.submit(pr);
  queue.built(1, 10, 2, 20, 21);
  queue.runEnds(runOf(queue, [10], [1]), "success");
  queue.runEnds(runOf(queue, [2], []), "startup_failure");
  queue.runEnds(runOf(queue, [20], [10, 2]), "failure");
  // Failures with a pass between them count as two.
  merge(queue, 99);
  queue.runEnds(runOf(queue, [21], [10, 2]), "failure");
  queue.passesTime(5);
  for (const pr of overtakenBy) merge(queue, pr);
  queue.runBuilt(runOf(queue, [2], []));
  queue.runEnds(runOf(queue, [2], []), "startup_failure");
  for (const pr of [20, 21]) {
    queue.runBuilt(runOf(queue, [pr], [10]));
    queue.runEnds(runOf(queue, [pr], [10]), "success");
  }
  queue.passesTime(5);
}

describe("a certain culprit that failed together with proved pull requests", () => {
  test("is not retested while the proved pull requests only wait to merge, because it is evicted after their merges", () => {
    const queue = lane({ concurrency: 30 });
    culprit(queue, behindCulprit.slice(0, 11));
    expect(queue.testing).toEqual([1]);
    queue.passes(1);
    for (const pr of [1, 10, 20]) {
      expect(queue.stateOf(2)).toBe("pending");
      queue.merges();
      expect(queue.stateOf(pr)).toBe("merged");
    }
    expect(queue.stateOf(2)).toBe("failed");
  });

  test("is retested when the proved pull requests may no longer overtake it, because each would wait for the other", () => {
    const queue = lane({ concurrency: 30 });
    culprit(queue, behindCulprit);
    expect(queue.testing).toEqual([1, 2]);
    queue.passes(1);
    for (const _pr of [1, 10]) queue.merges();
    expect([queue.stateOf(20), queue.state.merge]).toEqual(["tests_passed", null]);
    const again = runOf(queue, [2], []);
    queue.runBuilt(again);
    queue.runEnds(again, "failure");
    expect(queue.stateOf(2)).toBe("failed");
    for (const pr of [20, 21]) {
      queue.merges();
      expect(queue.stateOf(pr)).toBe("merged");
    }
  });
});
