import { describe, expect, test } from "@jest/globals";
import { TargetSet } from "../../../src/engine/collections/target-set.ts";
import type { QueueHarness } from "../queue-harness.ts";
import { lane } from "../transitions/adaptive-queue.ts";

const ahead = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];

/** #1 to #10 are under test, each on top of those ahead. #11 to #13 wait behind them; no slot is free until the run of #20 ends. */
function manyUnproved(): QueueHarness {
  const queue = lane({ concurrency: 11 });
  queue.targets = (pr) => TargetSet.of([pr === 20 ? 2 : 1]);
  for (const pr of [...ahead, 20, 11, 12, 13]) queue.submit(pr);
  queue.built(...ahead, 20);
  expect(queue.testing.toSorted((a, b) => a - b)).toEqual([...ahead, 20]);
  queue.passes(20);
  return queue;
}

describe("when slots are scarce, a pull request behind many unproved ones", () => {
  test("waits until enough of them are proved, although a slot is free", () => {
    const queue = manyUnproved();
    expect(queue.testing.toSorted((a, b) => a - b)).toEqual(ahead);
    queue.merges();
    for (const pr of [1, 2, 3]) {
      queue.passes(pr);
      queue.merges();
    }
    expect(queue.testing.filter((pr) => pr > 10)).toEqual([11, 12, 13]);
  });

  test("does not wait when none of them is under test, because no run could prove them", () => {
    const queue = manyUnproved();
    queue.configure({ concurrency: 1 });
    for (const pr of ahead) queue.runEnds(queue.run(pr), "cancelled");
    expect(queue.testing).toEqual([11]);
  });
});
