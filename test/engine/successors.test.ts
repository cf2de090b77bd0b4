import { describe, expect, test } from "@jest/globals";
import { QueueHarness } from "./queue-harness.ts";

function line(settings: ConstructorParameters<typeof QueueHarness>[0], ...prs: number[]): QueueHarness {
  const queue = new QueueHarness({ concurrency: prs.length, ...settings });
  for (const pr of prs) queue.submit(pr);
  queue.built(...prs);
  return queue;
}

describe("optimistic merging", () => {
  test("passes a pull request when a successor that contains it passes", () => {
    const queue = line({ canOptimisticallyMerge: true }, 1, 2, 3);
    queue.passes(3);
    expect([1, 2, 3].map((pr) => queue.stateOf(pr))).toEqual(Array(3).fill("tests_passed"));
    expect(queue.reasonOf(1)).toBe("SUCCESSOR_PASSED");
    expect(queue.run(1).vouchedBy).toBe(queue.run(3).id);
    expect(queue.state.merge?.steps.map(({ pr }) => pr)).toEqual([1, 2, 3]);
  });

  test("is off by default", () => {
    const queue = line({}, 1, 2);
    queue.passes(2);
    expect(queue.stateOf(1)).toBe("testing");
  });

  test("with a pending failure depth, saves a pull request from a flake", () => {
    const queue = line({ canOptimisticallyMerge: true, pendingFailureDepth: 1 }, 1, 2);
    queue.fails(1);
    expect(queue.stateOf(1)).toBe("pending_failure");
    expect(queue.stateOf(2)).toBe("testing");
    queue.passes(2);
    expect(queue.stateOf(1)).toBe("tests_passed");
    queue.merges();
    expect(queue.stateOf(1)).toBe("merged");
  });
});

describe("pendingFailureDepth", () => {
  test("fails a pull request once that number of its successors have failed, too", () => {
    const queue = line({ pendingFailureDepth: 2 }, 1, 2, 3, 4);
    queue.fails(1);
    queue.fails(2);
    expect(queue.stateOf(1)).toBe("pending_failure");
    queue.fails(3);
    expect(queue.stateOf(1)).toBe("failed");
    expect(queue.reasonOf(2)).toBe("AHEAD_FAILED");
    expect(queue.run(2).ahead).toEqual([]);
  });

  test("does not delay a failure when no pull request is behind", () => {
    const queue = line({ pendingFailureDepth: 2 }, 1);
    queue.fails(1);
    expect(queue.stateOf(1)).toBe("failed");
  });

  test("retests a failed pull request whose successor passed when optimistic merging is off", () => {
    const queue = line({ pendingFailureDepth: 1 }, 1, 2);
    queue.passesTime(1);
    queue.fails(1);
    queue.passes(2);
    expect(queue.storyOf(1).at(-1)).toBe("pending_failure→pending SUCCESSOR_PASSED");
    expect(queue.run(2).ahead).toEqual([]);
    expect(queue.run(1).ahead).toEqual([2]);
  });
});
