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

describe("with the policy adaptive, what fails on what it merges onto", () => {
  test("is tested once more while a slot is free, and removed when it fails again", () => {
    const queue = queueOf({}, 1);
    queue.fails(1);
    expect(queue.stateOf(1)).toBe("pending");
    expect(queue.reasonOf(1)).toBe("RETESTED");
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

  test("is removed at once when others wait for the slot", () => {
    const queue = queueOf({ concurrency: 1 }, 1);
    queue.submit(2);
    queue.fails(1);
    expect(queue.stateOf(1)).toBe("failed");
  });

  test("is tested behind the others, which do not contain it and do not wait for it", () => {
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

  test("is tested again on what has merged before it when it passes too late", () => {
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

  test("has what is behind it tested again, on top of it, when it passes in time", () => {
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

  test("is removed although something merged while it was tested once more", () => {
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

test("with the policy fixed, a failure is believed at once", () => {
  const queue = queueOf({ policy: "fixed" }, 1);
  queue.fails(1);
  expect(queue.stateOf(1)).toBe("failed");
});

describe("what only passes on top of a later pull request, without optimistic merging,", () => {
  const settings = { policy: "fixed", pendingFailureDepth: 2 } as const;

  test("is tested once more behind that one, and merges after it", () => {
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

  test("leaves when it fails again, however many pass behind it", () => {
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
