import { describe, expect, test } from "@jest/globals";
import { TargetSet } from "../../src/engine/collections/target-set.ts";
import { explain } from "../../src/engine/explain/explain.ts";
import { bisectionsOf } from "../../src/engine/policies/fixed/fixed-fold.ts";
import { QueueHarness } from "./queue-harness.ts";

/** A queue in parallel mode whose pull requests impact the given targets. */
function lanes(impact: Record<number, "ALL" | number[]>, settings = {}): QueueHarness {
  const queue = new QueueHarness({ mode: "parallel", concurrency: 9, ...settings });
  queue.targets = (pr) => {
    const targets = impact[pr];
    return targets === undefined || targets === "ALL" ? (targets ?? null) : TargetSet.of(targets);
  };
  for (const pr of Object.keys(impact)) queue.submit(Number(pr));
  return queue;
}

describe.each(["adaptive", "fixed"] as const)("with the policy %s, lanes", (policy) => {
  test("test each pull request on top of its transitive dependencies", () => {
    const queue = lanes({ 1: [1], 2: [2], 3: [1, 2], 4: [2], 5: [9] }, { policy });
    const ahead = [1, 2, 3, 4, 5].map((pr) => queue.run(pr).ahead);
    expect(ahead).toEqual([[], [], [1, 2], [1, 2, 3], []]);
  });

  test("explain that a pull request waits for a slot and for the one that it overlaps", () => {
    const queue = lanes({ 1: [1, 2], 2: [1], 3: [1, 2] }, { policy, concurrency: 1 });
    const why = (pr: number) => {
      const entry = queue.state.entries.get(pr);
      return entry && explain(queue.state, entry, queue.now).map(({ text }) => text);
    };
    expect(why(2)).toEqual(["no free testing slot (1 of 1 in use)"]);
    expect(why(3)).toEqual(["no free testing slot (1 of 1 in use)", "behind #2 (overlap: 1 target)"]);
  });

  test("treat the targets ALL as overlapping everything except an empty impact", () => {
    const queue = lanes({ 1: [1], 2: "ALL", 3: [], 4: [7] }, { policy });
    expect([1, 2, 3, 4].map((pr) => queue.run(pr).ahead)).toEqual([[], [1], [], [1, 2]]);
  });

  test("merge as they pass, without waiting for each other, and keep the runs of other lanes valid", () => {
    const queue = lanes({ 1: [1], 2: [2] }, { policy });
    queue.built(1, 2);
    queue.passes(2);
    expect(queue.state.merge).toMatchObject({ composed: false });
    queue.merges();
    expect(queue.stateOf(1)).toBe("testing");
    queue.passes(1);
    expect(queue.state.merge).toMatchObject({ composed: true, base: "landed-2" });
    queue.merges();
    expect(queue.stateOf(1)).toBe("merged");
  });

  test("retest a pull request on the current base when its composed merge conflicts", () => {
    const queue = lanes({ 1: [1], 2: [2] }, { policy });
    queue.built(1, 2);
    queue.passes(2);
    queue.merges();
    queue.passes(1);
    queue.mergeStops({ kind: "composition_conflict" });
    expect(queue.reasonOf(1)).toBe("BASE_MOVED");
    expect(queue.run(1).base).toBe("landed-2");
  });

  test("limit a failure to its own lane", () => {
    const queue = lanes({ 1: [1], 2: [2], 3: [1] }, { policy });
    queue.built(1, 2, 3);
    queue.fails(1);
    expect([1, 2].map((pr) => queue.stateOf(pr))).toEqual([
      policy === "fixed" ? "failed" : "pending",
      "testing",
    ]);
    expect(queue.run(3).ahead).toEqual([]);
  });

  test("retest a suspect behind the pull request that is tested without it", () => {
    const queue = lanes({ 1: [1], 2: [1, 2], 3: [2] }, { policy });
    queue.built(1, 2, 3);
    queue.fails(2);
    // #3 depends on the suspect #2, but is tested without it and stays ahead of it if #2 comes back.
    expect(queue.run(3).ahead).toEqual([]);
    queue.cancel(1);
    expect(queue.run(2).ahead).toEqual([3]);
  });
});

describe.each(["adaptive", "fixed"] as const)("with the policy %s, targets", (policy) => {
  test("are required before a test, and count only for the head that they were reported for", () => {
    const queue = new QueueHarness({ policy, mode: "parallel" });
    queue.submit(1);
    expect(queue.stateOf(1)).toBe("not_ready");
    queue.take({ type: "targets_observed", pr: 1, headSha: "another", targets: TargetSet.of([1]) });
    expect(queue.stateOf(1)).toBe("not_ready");
    queue.take({ type: "targets_observed", pr: 1, headSha: "head-1", targets: TargetSet.of([1]) });
    expect(queue.testing).toEqual([1]);
  });

  test("that change during a test restart their pull request and those that depended on it", () => {
    const queue = lanes({ 1: [1], 2: [2], 3: [2] }, { policy });
    queue.built(1, 2, 3);
    queue.take({ type: "targets_observed", pr: 2, headSha: "head-2", targets: TargetSet.of([1]) });
    expect(queue.run(2).ahead).toEqual([1]);
    expect(queue.run(3).ahead).toEqual([]);
    expect(queue.stateOf(1)).toBe("testing");
  });

  test("are ignored in single mode", () => {
    const queue = lanes({ 1: [1], 2: [2] }, { policy, mode: "single" });
    expect(queue.run(2).ahead).toEqual([1]);
  });

  test("are no longer required when the queue changes to single mode", () => {
    const queue = new QueueHarness({ policy, mode: "parallel" });
    queue.submit(1);
    queue.configure({ mode: "single" });
    expect(queue.testing).toEqual([1]);
  });
});

describe.each(["adaptive", "fixed"] as const)("with the policy %s, batches in lanes", (policy) => {
  const batches = { policy, batch: true, batchingMinSize: 2, batchingMaxWaitTimeMinutes: 5 };

  test("contain pull requests of only one lane", () => {
    const queue = lanes({ 1: [1], 2: [2], 3: [1], 4: [2] }, batches);
    expect([...queue.state.runs.values()].map(({ members }) => members)).toEqual([
      [1, 3],
      [2, 4],
    ]);
  });

  test("that are not full yet do not stop other lanes from starting", () => {
    const queue = lanes({ 1: [1], 2: [2], 3: [2] }, batches);
    expect(queue.testing).toEqual([2, 3]);
    queue.passesTime(5);
    expect(queue.testing).toEqual([2, 3, 1]);
  });

  test("that are bisected block only their own lane", () => {
    const queue = lanes({ 1: [1], 2: [1], 3: [2], 4: [2] }, { ...batches, batchingMinSize: 2 });
    queue.built(1, 3);
    queue.fails(1);
    queue.targets = () => TargetSet.of([1]);
    queue.submit(5);
    queue.submit(6);
    expect(queue.stateOf(3)).toBe("testing");
    expect(queue.stateOf(5)).toBe("pending");
    expect(bisectionsOf(queue.state).size).toBe(1);
  });
});
