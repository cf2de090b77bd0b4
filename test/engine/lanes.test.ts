import { describe, expect, test } from "@jest/globals";
import { explain } from "../../src/engine/explain/explain.ts";
import { TargetSet } from "../../src/engine/collections/target-set.ts";
import { QueueHarness } from "./queue-harness.ts";

/** A queue in parallel mode, in which pull requests impact what is said here. */
function lanes(impact: Record<number, "ALL" | number[]>, settings = {}): QueueHarness {
  const queue = new QueueHarness({ mode: "parallel", concurrency: 9, ...settings });
  queue.targets = (pr) => {
    const targets = impact[pr];
    return targets === undefined || targets === "ALL" ? (targets ?? null) : TargetSet.of(targets);
  };
  for (const pr of Object.keys(impact)) queue.submit(Number(pr));
  return queue;
}

describe("lanes", () => {
  test("pull requests are tested on top of those that they overlap, and of what these stand on", () => {
    const queue = lanes({ 1: [1], 2: [2], 3: [1, 2], 4: [2], 5: [9] });
    const ahead = [1, 2, 3, 4, 5].map((pr) => queue.run(pr).ahead);
    expect(ahead).toEqual([[], [], [1, 2], [1, 2, 3], []]);
  });

  test("say what they wait for", () => {
    const queue = lanes({ 1: [1, 2], 2: [1], 3: [1, 2] }, { concurrency: 1 });
    const why = (pr: number) => {
      const entry = queue.state.entries.get(pr);
      return entry && explain(queue.state, entry, queue.now).map(({ text }) => text);
    };
    expect(why(2)).toEqual(["no free testing slot (1 of 1 in use)"]);
    expect(why(3)).toEqual(["no free testing slot (1 of 1 in use)", "behind #2 (overlap: 1 target)"]);
  });

  test("ALL overlaps everything but what impacts nothing", () => {
    const queue = lanes({ 1: [1], 2: "ALL", 3: [], 4: [7] });
    expect([1, 2, 3, 4].map((pr) => queue.run(pr).ahead)).toEqual([[], [1], [], [1, 2]]);
  });

  test("merge as they pass, without waiting for each other; the tests of the other lane stay valid", () => {
    const queue = lanes({ 1: [1], 2: [2] });
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

  test("a composition that conflicts is tested again on the base as it is", () => {
    const queue = lanes({ 1: [1], 2: [2] });
    queue.built(1, 2);
    queue.passes(2);
    queue.merges();
    queue.passes(1);
    queue.mergeStops({ kind: "composition_conflict" });
    expect(queue.reasonOf(1)).toBe("BASE_MOVED");
    expect(queue.run(1).base).toBe("landed-2");
  });

  test("a failure is nobody's business outside of its lane", () => {
    const queue = lanes({ 1: [1], 2: [2], 3: [1] });
    queue.built(1, 2, 3);
    queue.fails(1);
    expect([1, 2].map((pr) => queue.stateOf(pr))).toEqual(["failed", "testing"]);
    expect(queue.run(3).ahead).toEqual([]);
  });

  test("what depends on a merge that its tests do not contain is tested again", () => {
    const queue = lanes({ 1: [1], 2: [1, 2], 3: [2] });
    queue.built(1, 2, 3);
    queue.fails(2);
    // #3 is tested without the suspect, on which it depends, and goes first if the suspect comes back.
    expect(queue.run(3).ahead).toEqual([]);
    queue.cancel(1);
    expect(queue.run(2).ahead).toEqual([3]);
  });
});

describe("targets", () => {
  test("are waited for, and count for the head that they were said of", () => {
    const queue = new QueueHarness({ mode: "parallel" });
    queue.submit(1);
    expect(queue.stateOf(1)).toBe("not_ready");
    queue.take({ type: "targets_observed", pr: 1, headSha: "another", targets: TargetSet.of([1]) });
    expect(queue.stateOf(1)).toBe("not_ready");
    queue.take({ type: "targets_observed", pr: 1, headSha: "head-1", targets: TargetSet.of([1]) });
    expect(queue.testing).toEqual([1]);
  });

  test("that change while their pull request is tested have it and what stands on it tested again", () => {
    const queue = lanes({ 1: [1], 2: [2], 3: [2] });
    queue.built(1, 2, 3);
    queue.take({ type: "targets_observed", pr: 2, headSha: "head-2", targets: TargetSet.of([1]) });
    expect(queue.run(2).ahead).toEqual([1]);
    expect(queue.run(3).ahead).toEqual([]);
    expect(queue.stateOf(1)).toBe("testing");
  });

  test("do not count in single mode", () => {
    const queue = lanes({ 1: [1], 2: [2] }, { mode: "single" });
    expect(queue.run(2).ahead).toEqual([1]);
  });

  test("are needed no more when the queue becomes single", () => {
    const queue = new QueueHarness({ mode: "parallel" });
    queue.submit(1);
    queue.configure({ mode: "single" });
    expect(queue.testing).toEqual([1]);
  });
});

describe("batches in lanes", () => {
  const batches = { batch: true, batchingMinSize: 2, batchingMaxWaitTimeMinutes: 5 };

  test("hold pull requests of one lane", () => {
    const queue = lanes({ 1: [1], 2: [2], 3: [1], 4: [2] }, batches);
    expect([...queue.state.runs.values()].map(({ members }) => members)).toEqual([
      [1, 3],
      [2, 4],
    ]);
  });

  test("that fill do not keep other lanes from starting", () => {
    const queue = lanes({ 1: [1], 2: [2], 3: [2] }, batches);
    expect(queue.testing).toEqual([2, 3]);
    queue.passesTime(5);
    expect(queue.testing).toEqual([2, 3, 1]);
  });

  test("that are bisected keep only their own lane waiting", () => {
    const queue = lanes({ 1: [1], 2: [1], 3: [2], 4: [2] }, { ...batches, batchingMinSize: 2 });
    queue.built(1, 3);
    queue.fails(1);
    queue.targets = () => TargetSet.of([1]);
    queue.submit(5);
    queue.submit(6);
    expect(queue.stateOf(3)).toBe("testing");
    expect(queue.stateOf(5)).toBe("pending");
    expect(queue.state.bisections.size).toBe(1);
  });
});
