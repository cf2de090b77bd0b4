import { describe, expect, test } from "@jest/globals";
import { TargetSet } from "../../src/engine/collections/target-set.ts";
import { QueueHarness } from "./queue-harness.ts";

const batches = { batch: true, batchingMinSize: 3, batchingMaxWaitTimeMinutes: 5 } as const;

describe.each(["adaptive", "fixed"] as const)("with the policy %s, a batch", (policy) => {
  test("starts when it is full", () => {
    const queue = new QueueHarness({ ...batches, policy });
    queue.submit(1);
    queue.submit(2);
    expect(queue.testing).toEqual([]);
    queue.submit(3);
    expect(queue.testing).toEqual([1, 2, 3]);
    expect(queue.run(1)).toBe(queue.run(3));
  });

  test("starts before it is full when its first member has waited long enough", () => {
    const queue = new QueueHarness({ ...batches, policy });
    queue.submit(1);
    queue.passesTime(3);
    queue.submit(2);
    expect(queue.testing).toEqual([]);
    queue.passesTime(2);
    expect(queue.testing).toEqual([1, 2]);
  });

  test("passes as a whole, and its members merge in order", () => {
    const queue = new QueueHarness({ ...batches, policy });
    for (const pr of [1, 2, 3]) queue.submit(pr);
    queue.built(1);
    queue.passes(1);
    expect(queue.state.merge?.steps.map(({ pr }) => pr)).toEqual([1, 2, 3]);
    queue.merges();
    expect([1, 2, 3].map((pr) => queue.stateOf(pr))).toEqual(["merged", "merged", "merged"]);
    expect(queue.state.runs.size).toBe(0);
  });

  test("whose merge is refused half-way evicts that pull request and tests the rest again", () => {
    const queue = new QueueHarness({ ...batches, policy });
    for (const pr of [1, 2, 3]) queue.submit(pr);
    queue.built(1);
    queue.passes(1);
    queue.mergeEnds({
      merged: [{ pr: 1, sha: "landed-1", treeSha: "tree(base-0+1)", proof: "same_tree" }],
      stop: { kind: "refused", message: "merging is switched off" },
    });
    expect(queue.state.status).toBe("running");
    expect([1, 2, 3].map((pr) => queue.stateOf(pr))).toEqual(["merged", "failed", "pending"]);
  });

  test("that has merged in part merges as a whole before others", () => {
    const parallel = { mode: "parallel", concurrency: 4 } as const;
    const queue = new QueueHarness({ ...batches, ...parallel, policy, batchingMinSize: 2 });
    queue.targets = (pr) => TargetSet.of([pr < 3 ? 1 : 2]);
    for (const pr of [1, 2, 3, 4]) queue.submit(pr);
    queue.built(1, 3);
    queue.passes(3);
    expect(queue.state.merge?.steps.map(({ pr }) => pr)).toEqual([3, 4]);
    queue.passes(1);
    queue.mergeEnds({
      merged: [{ pr: 3, sha: "landed-3", treeSha: "tree(base-0+3)", proof: "same_tree" }],
      stop: null,
    });
    expect(queue.state.merge).toMatchObject({ composed: false, steps: [{ pr: 4 }] });
    queue.merges();
    queue.merges();
    expect([1, 2, 3, 4].map((pr) => queue.stateOf(pr))).toEqual(Array(4).fill("merged"));
  });

  test("does not overtake a pull request that one of its members has to wait for", () => {
    const queue = new QueueHarness({
      ...batches,
      policy,
      batchingMinSize: 2,
      mode: "parallel",
      concurrency: 4,
    });
    const targets: Record<number, number[]> = { 1: [1], 2: [1, 6], 3: [3], 4: [3, 6] };
    queue.targets = (pr) => TargetSet.of(targets[pr] ?? []);
    queue.submitAlone(1);
    queue.submitAlone(2);
    queue.built(1, 2);
    queue.fails(2);
    queue.submit(3);
    queue.submit(4);
    queue.built(3);
    queue.passes(3);
    expect([queue.stateOf(3), queue.stateOf(2)]).toEqual(["tests_passed", "pending_failure"]);
    expect(queue.state.merge).toBeNull();
    queue.passes(1);
    queue.merges();
    expect(queue.stateOf(2)).toBe(policy === "fixed" ? "failed" : "pending");
    queue.merges();
    expect([queue.stateOf(3), queue.stateOf(4)]).toEqual(["merged", "merged"]);
  });

  test("starts with one member when the next pull request cannot join it", () => {
    const queue = new QueueHarness({ ...batches, policy, concurrency: 2 });
    queue.submit(1);
    queue.submitAlone(2);
    expect(queue.testing).toEqual([1, 2]);
    expect(queue.run(2).ahead).toEqual([1]);
  });

  test("is tested again without a member that leaves", () => {
    const queue = new QueueHarness({ ...batches, policy });
    for (const pr of [1, 2, 3]) queue.submit(pr);
    queue.built(1);
    queue.cancel(2);
    expect(queue.stateOf(1)).toBe("pending");
    queue.passesTime(5);
    expect(queue.testing).toEqual([1, 3]);
  });

  test("continues without a member that conflicts with earlier members, and that member waits until they are decided", () => {
    const queue = new QueueHarness({ ...batches, policy });
    for (const pr of [1, 2, 3]) queue.submit(pr);
    queue.buildEnds(1, { kind: "conflict", pr: 2 });
    expect(queue.reasonOf(2)).toBe("CONFLICT_WITH_AHEAD");
    queue.passesTime(5);
    expect(queue.testing).toEqual([1, 3]);
    queue.built(1);
    queue.passes(1);
    expect(queue.testing).toEqual([]);
    queue.merges();
    expect(queue.testing).toEqual([2]);
    queue.buildEnds(2, { kind: "conflict", pr: 2 });
    expect(queue.reasonOf(2)).toBe("MERGE_CONFLICT_WITH_BASE");
  });

  test("fails only the member that conflicts with the base", () => {
    const queue = new QueueHarness({ ...batches, policy });
    for (const pr of [1, 2, 3]) queue.submit(pr);
    queue.buildEnds(1, { kind: "conflict", pr: 1 });
    expect([1, 2, 3].map((pr) => queue.stateOf(pr))).toEqual(["failed", "pending", "pending"]);
  });
});

describe.each(["adaptive", "fixed"] as const)("with the policy %s, an urgent pull request", (policy) => {
  test("interrupts the tests under way, and is tested alone", () => {
    const queue = new QueueHarness({ ...batches, policy, batchingMinSize: 2 });
    for (const pr of [1, 2]) queue.submit(pr);
    queue.built(1);
    queue.submit(3, {}, 0);
    expect(queue.reasonOf(1)).toBe("INTERRUPTED_BY_URGENT");
    expect(queue.testing).toEqual([3]);
    queue.built(3);
    queue.passes(3);
    queue.merges();
    expect(queue.testing).toEqual([1, 2]);
  });

  test("does not displace a pull request that has passed", () => {
    const queue = new QueueHarness({ policy, concurrency: 3 });
    for (const pr of [1, 2]) queue.submit(pr);
    queue.built(1, 2);
    queue.passes(1);
    queue.submit(3, {}, 0);
    expect(queue.state.merge?.steps.map(({ pr }) => pr)).toEqual([1]);
    expect(queue.run(3).ahead).toEqual([1]);
    expect(queue.run(2).ahead).toEqual([1, 3]);
  });
});
