import { describe, expect, test } from "@jest/globals";
import type { QueueSettings } from "../../src/engine/model/settings.ts";
import { QueueHarness } from "./queue-harness.ts";

function queueOf(settings: Partial<QueueSettings>, ...prs: number[]): QueueHarness {
  const queue = new QueueHarness({ policy: "adaptive", concurrency: 4, ...settings });
  for (const pr of prs) queue.submit(pr);
  queue.built(...prs);
  queue.passesTime(1);
  return queue;
}

describe("with the policy adaptive, a pull request that fails with nothing ahead of it", () => {
  test("is retested, and leaves the queue when it fails again", () => {
    const queue = queueOf({}, 1);
    queue.fails(1);
    expect(queue.stateOf(1)).toBe("pending");
    expect(queue.reasonOf(1)).toBe("FAILED_ONCE");
    queue.built(1);
    queue.fails(1);
    expect(queue.stateOf(1)).toBe("failed");
    expect(queue.reasonOf(1)).toBe("CHECKS_FAILED");
  });

  test("merges when its second test passes", () => {
    const queue = queueOf({}, 1);
    queue.fails(1);
    queue.built(1);
    queue.passes(1);
    queue.merges();
    expect(queue.stateOf(1)).toBe("merged");
  });

  test("is retested behind everything that is submitted within thirty durations of a test", () => {
    const queue = queueOf({ concurrency: 1 }, 1);
    queue.submit(2);
    queue.fails(1);
    queue.built(2);
    for (const pr of [3, 4, 5]) {
      queue.submit(pr);
      queue.passes(pr - 1);
      queue.merges();
      queue.built(pr);
    }
    expect([1, 2, 3, 4, 5].map((pr) => queue.stateOf(pr))).toEqual([
      "pending",
      ...["merged", "merged", "merged"],
      "testing",
    ]);
  });

  test("is retested before what is submitted later than that", () => {
    const queue = queueOf({ concurrency: 1 }, 1);
    queue.configure({ status: "paused" });
    queue.fails(1);
    queue.passesTime(31);
    queue.submit(2);
    queue.configure({ status: "running" });
    queue.built(1);
    expect([1, 2].map((pr) => queue.stateOf(pr))).toEqual(["testing", "pending"]);
  });

  test("is counted as a fault until it passes", () => {
    const queue = queueOf({}, 1);
    queue.fails(1);
    expect(queue.state.history.rejected).toBe(1);
    queue.built(1);
    queue.passes(1);
    expect(queue.state.history.rejected).toBe(0);
  });

  test("is retested behind the others, which neither contain it nor wait for it", () => {
    const queue = queueOf({}, 1, 2, 3);
    queue.fails(1);
    expect(queue.run(1).ahead).toEqual([2, 3]);
    queue.built(1, 2, 3);
    queue.submit(4);
    queue.built(4);
    expect(queue.run(4).ahead).toEqual([2, 3]);
    for (const pr of [2, 3, 4]) queue.passes(pr);
    queue.merges();
    queue.merges();
    expect([2, 3, 4].map((pr) => queue.stateOf(pr))).toEqual(["merged", "merged", "merged"]);
    expect(queue.stateOf(1)).toBe("testing");
  });

  test("is retested on the new base when others merge before it passes", () => {
    const queue = queueOf({}, 1, 2);
    queue.fails(1);
    queue.built(1, 2);
    queue.submit(3);
    queue.built(3);
    queue.passes(2);
    queue.passes(3);
    queue.merges();
    queue.merges();
    queue.passes(1);
    expect(queue.stateOf(1)).toBe("pending");
    expect(queue.reasonOf(1)).toBe("RETESTED");
    queue.built(1);
    queue.passes(1);
    queue.merges();
    expect(queue.stateOf(1)).toBe("merged");
  });

  test("has those behind it retested on top of it when it passes before they merge", () => {
    const queue = queueOf({}, 1);
    queue.fails(1);
    queue.built(1);
    queue.submit(2);
    queue.built(2);
    expect(queue.run(2).ahead).toEqual([]);
    queue.passes(1);
    expect(queue.reasonOf(2)).toBe("AHEAD_RESTARTED");
    expect(queue.run(2).ahead).toEqual([1]);
  });

  test("leaves the queue when its retest fails, although others merged in the meantime", () => {
    const queue = queueOf({}, 1, 2);
    queue.fails(1);
    queue.built(1, 2);
    queue.submit(3);
    queue.built(3);
    queue.passes(2);
    queue.passes(3);
    queue.merges();
    queue.fails(1);
    expect(queue.stateOf(1)).toBe("failed");
  });
});

test("with the policy fixed, a pull request leaves the queue at its first failure", () => {
  const queue = queueOf({ policy: "fixed" }, 1);
  queue.fails(1);
  expect(queue.stateOf(1)).toBe("failed");
});

describe("without optimistic merging, a failed pull request whose successor passes", () => {
  const settings = { policy: "fixed", pendingFailureDepth: 2 } as const;

  test("is retested behind the successor, and merges after it", () => {
    const queue = queueOf(settings, 1, 2);
    queue.fails(1);
    queue.passes(2);
    expect(queue.reasonOf(1)).toBe("SUCCESSOR_PASSED");
    expect(queue.run(2).ahead).toEqual([]);
    expect(queue.run(1).ahead).toEqual([2]);
    queue.built(1, 2);
    queue.passes(2);
    queue.passes(1);
    queue.merges();
    queue.merges();
    expect([1, 2].map((pr) => queue.stateOf(pr))).toEqual(["merged", "merged"]);
  });

  test("leaves the queue when it fails again", () => {
    const queue = queueOf(settings, 1, 2);
    queue.fails(1);
    queue.passes(2);
    queue.built(1, 2);
    queue.passes(2);
    queue.merges();
    queue.fails(1);
    expect(queue.stateOf(1)).toBe("failed");
  });
});
