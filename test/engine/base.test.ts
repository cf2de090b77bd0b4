import { describe, expect, test } from "@jest/globals";
import { TargetSet } from "../../src/engine/collections/target-set.ts";
import { everyPolicy, mergeAll, type PolicyUnderTest, queueUnder, threeInLine } from "./every-policy.ts";
import type { QueueHarness } from "./queue-harness.ts";

describe.each(everyPolicy)("with the policy $name, the base branch", (policy) => {
  test("restarts every test on its new tip when it moves from outside", () => {
    const queue = threeInLine(policy);
    queue.passes(3);
    queue.baseMovesTo("outside");
    for (const pr of [1, 2, 3]) expect(queue.storyOf(pr).at(-1)).toMatch(/→pending BASE_MOVED/);
    expect(queue.run(3)).toMatchObject({ base: "outside", ahead: [1, 2] });
  });

  test("is not changed by an observation that is older than the queue's own merge", () => {
    const queue = threeInLine(policy);
    const before = queue.state.seq;
    queue.passes(1);
    queue.merges();
    queue.take({ type: "base_observed", sha: "base-0", asOfSeq: before });
    expect(queue.state.base.at(-1)?.sha).toBe("landed-1");
  });

  test("can be forced back to an earlier tip, and pull requests merge as usual", () => {
    const queue = threeInLine(policy);
    queue.passes(1);
    queue.merges();
    queue.baseMovesTo("base-0");
    queue.built(2, 3);
    queue.passes(2);
    queue.merges();
    queue.passes(3);
    queue.merges();
    expect([queue.stateOf(2), queue.stateOf(3)]).toEqual(["merged", "merged"]);
  });

  test("sends a pull request back to testing when its merge finds another tip", () => {
    const queue = threeInLine(policy);
    queue.passes(1);
    queue.mergeStops({ kind: "base_moved", actual: "outside" });
    expect(queue.storyOf(1).at(-1)).toBe("tests_passed→pending BASE_MOVED");
    expect(queue.run(1).base).toBe("outside");
  });

  test("pauses the queue with the reason TREE_MISMATCH when it gets an untested tree", () => {
    const queue = threeInLine(policy);
    queue.passes(1);
    const mismatch = {
      code: "TREE_MISMATCH",
      pr: 1,
      sha: "odd",
      expectedTree: "a",
      actualTree: "b",
    } as const;
    queue.mergeStops({ kind: "tree_mismatch", mismatch });
    expect(queue.state).toMatchObject({ status: "paused", statusReason: mismatch });
    expect(queue.stateOf(1)).toBe("merged");
    expect(queue.testing).toEqual([]);
  });
});

/** The facts of a pull request that somebody merged with the tree in which it is tested. */
function mergedAsTested(queue: QueueHarness, pr: number) {
  const tested = queue.run(pr).commits.find((commit) => commit.pr === pr);
  return { state: "merged", mergedSha: `by-hand-${pr}`, mergedTree: tested?.treeSha ?? "" } as const;
}

describe.each(everyPolicy)("with the policy $name, a merge by hand with the tested tree", (policy) => {
  test("leaves the tests behind it valid, and they merge onto it", () => {
    const queue = threeInLine(policy);
    const runs = [2, 3].map((pr) => queue.run(pr).id);
    queue.observe(1, mergedAsTested(queue, 1));
    queue.baseMovesTo("by-hand-1");
    expect(queue.reasonOf(1)).toBe("MERGED_BY_OTHERS");
    expect([2, 3].map((pr) => queue.run(pr).id)).toEqual(runs);
    expect([2, 3].map((pr) => queue.stateOf(pr))).toEqual(["testing", "testing"]);
    queue.passes(2);
    expect(queue.state.merge?.base).toBe("by-hand-1");
    queue.merges();
    queue.observe(3, mergedAsTested(queue, 3));
    expect(queue.stateOf(3)).toBe("merged");
  });

  test("counts for several in their order", () => {
    const queue = threeInLine(policy);
    const run = queue.run(3).id;
    queue.observe(1, mergedAsTested(queue, 1));
    queue.observe(2, mergedAsTested(queue, 2));
    expect(queue.run(3)).toMatchObject({ id: run, state: "running" });
    queue.passes(3);
    expect(queue.state.merge?.base).toBe("by-hand-2");
  });

  test("recalls its ordered merge, unless GitHub has been asked for it", () => {
    const queue = threeInLine(policy);
    queue.passes(1);
    queue.passes(2);
    const run = queue.run(2).id;
    queue.observe(1, mergedAsTested(queue, 1));
    expect(queue.stateOf(1)).toBe("merged");
    expect(queue.state.merge).toMatchObject({ base: "by-hand-1", steps: [{ pr: 2, runId: run }] });
  });

  test.each([
    ["of another branch", { baseBranch: "next" }],
    ["with another tree", { mergedTree: "tree(other)" }],
    ["whose tree is not known", { mergedTree: undefined as unknown as string }],
  ])("%s restarts the tests behind it", (_what, facts) => {
    const queue = threeInLine(policy);
    const run = queue.run(3).id;
    queue.observe(1, { ...mergedAsTested(queue, 1), ...facts });
    expect(queue.run(3).id).not.toBe(run);
  });

  test("restarts the tests behind it if it was not the next one", () => {
    const queue = threeInLine(policy);
    const run = queue.run(3).id;
    queue.observe(2, mergedAsTested(queue, 2));
    expect(queue.run(3).id).not.toBe(run);
    expect(queue.stateOf(1)).toBe("testing");
  });
});

test.each(everyPolicy.filter(({ settings }) => settings.mode === "parallel"))(
  "with the policy $name, a merge by hand with the tested tree restarts all tests if another lane is in test",
  (policy) => {
    const queue = queueUnder(policy, { concurrency: 3 });
    queue.targets = (pr) => TargetSet.of([pr === 3 ? 2 : 1]);
    for (const pr of [1, 2, 3]) queue.submit(pr);
    queue.built(1, 2, 3);
    const runs = [2, 3].map((pr) => queue.run(pr).id);
    queue.observe(1, mergedAsTested(queue, 1));
    queue.baseMovesTo("by-hand-1");
    for (const run of runs) expect(queue.state.runs.has(run)).toBe(false);
  },
);

describe("a merge by hand of the first of a batch", () => {
  function batchOfTwo(policy: PolicyUnderTest): QueueHarness {
    const queue = queueUnder(policy, { batch: true, batchingMinSize: 2, batchSizing: "minimum" });
    for (const pr of [1, 2]) queue.submit(pr);
    queue.built(1);
    return queue;
  }
  const [adaptive] = everyPolicy as readonly [PolicyUnderTest];

  test("leaves a batch that has passed valid", () => {
    const queue = batchOfTwo(adaptive);
    queue.configure({ status: "paused" });
    queue.passes(1);
    queue.observe(1, mergedAsTested(queue, 1));
    queue.configure({ status: "running" });
    expect(mergeAll(queue)).toEqual([2]);
  });

  test("tests the others again while the batch is in test", () => {
    const queue = batchOfTwo(adaptive);
    const run = queue.run(2).id;
    queue.observe(1, mergedAsTested(queue, 1));
    expect(queue.stateOf(1)).toBe("merged");
    expect(queue.state.runs.has(run)).toBe(false);
  });
});
