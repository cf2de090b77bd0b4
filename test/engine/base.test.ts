import { describe, expect, test } from "@jest/globals";
import { everyPolicy, threeInLine } from "./every-policy.ts";

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
