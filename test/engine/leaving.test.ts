import { describe, expect, test } from "@jest/globals";
import { isAllowed } from "../../src/engine/model/transition.ts";
import { activeRuns, everyPolicy, type PolicyUnderTest, queueUnder, threeInLine } from "./every-policy.ts";

/** Why a pull request is tested again after one ahead of it left. In blocks, only its own block is known by then. */
function reasonBehind({ order }: PolicyUnderTest, reason: string): string {
  return order === "blocks" ? "RETESTED" : reason;
}

describe.each(everyPolicy)("with the policy $name, an entry leaves", (policy) => {
  test.each([
    ["a push", { headSha: "head-2b" }, "PUSHED_TO"],
    ["a close", { state: "closed" as const }, "PR_CLOSED"],
    ["another base branch", { baseBranch: "next" }, "BASE_BRANCH_CHANGED"],
    ["conversion to a draft", { draft: true }, "CONVERTED_TO_DRAFT"],
  ])("after %s, and those behind it are tested without it", (_what, facts, reason) => {
    const queue = threeInLine(policy);
    queue.observe(2, facts);
    expect(queue.stateOf(2)).toBe("cancelled");
    expect(queue.reasonOf(2)).toBe(reason);
    expect(queue.storyOf(3)).toContain(`testing→pending ${reasonBehind(policy, "AHEAD_CANCELLED")}`);
    expect(queue.run(3).ahead).toEqual([1]);
    expect(queue.stateOf(1)).toBe("testing");
  });

  test("when a user cancels it, and can be submitted again", () => {
    const queue = threeInLine(policy);
    expect(queue.cancel(2)).toBeNull();
    expect(queue.reasonOf(2)).toBe("CANCELLED_BY_USER");
    queue.submit(2);
    expect(queue.state.entries.get(2)).toMatchObject({ id: "entry-2", state: "pending" });
  });

  test("when someone else merges it, and those behind it are tested again", () => {
    const queue = threeInLine(policy);
    queue.observe(2, { state: "merged", mergedSha: "by-hand" });
    expect(queue.stateOf(2)).toBe("merged");
    expect(queue.reasonOf(2)).toBe("MERGED_BY_OTHERS");
    expect(queue.storyOf(3)).toContain(`testing→pending ${reasonBehind(policy, "AHEAD_MERGED_BY_HAND")}`);
  });

  test("only by the outcome of its merge once GitHub is asked to merge it", () => {
    const queue = threeInLine(policy);
    queue.passes(1);
    expect(queue.state.merge?.steps.map(({ pr }) => pr)).toEqual([1]);
    queue.calls(1);
    expect(queue.cancel(1)).toEqual({ code: "MERGE_ALREADY_ORDERED", pr: 1 });
    expect(queue.restart(1)).toEqual({ code: "MERGE_ALREADY_ORDERED", pr: 1 });
    queue.observe(1, { headSha: "head-1b" });
    queue.seenHead = () => "head-1b";
    expect(queue.submit(1, { headSha: "head-1b" })).toEqual({ code: "MERGE_ALREADY_ORDERED", pr: 1 });
    expect(queue.stateOf(1)).toBe("tests_passed");
    queue.mergeStops({ kind: "head_changed" });
    expect(queue.storyOf(1).at(-1)).toBe("tests_passed→failed HEAD_CHANGED");
    expect(queue.storyOf(2)).toContain(`testing→pending ${reasonBehind(policy, "AHEAD_FAILED")}`);
  });
});

describe.each(everyPolicy)("with the policy $name, a restart", (policy) => {
  test("retests the entry in its place, and those behind it on top of it", () => {
    const queue = threeInLine(policy);
    // In lanes, a run of #3 that contains #2 goes on, since it tests the same commits.
    const withIt = activeRuns(queue).filter(({ ahead, members }) =>
      [...(policy.order === "lanes" ? [] : ahead), ...members].includes(2),
    );
    expect(queue.restart(2)).toBeNull();
    expect(queue.storyOf(2)).toContain("testing→pending RESTARTED");
    for (const { id } of withIt) expect(queue.state.runs.has(id)).toBe(false);
    expect([2, 3].map((pr) => queue.run(pr).ahead)).toEqual([[1], [1, 2]]);
    if (policy.order !== "lanes") expect([...queue.state.line]).toEqual([1, 2, 3]);
    expect(queue.stateOf(1)).toBe("testing");
  });

  test("is refused for a pull request that is not queued or not testing", () => {
    const queue = queueUnder(policy);
    queue.submit(1);
    expect(queue.restart(1)).toEqual({ code: "NOT_TESTING", pr: 1, state: "pending" });
    expect(queue.restart(9)).toEqual({ code: "NOT_QUEUED", pr: 9 });
  });
});

test("the transition table has no READY arrow from a terminal state to pending", () => {
  for (const state of ["merged", "failed", "cancelled"] as const) {
    expect(isAllowed(state, "pending", "READY")).toBe(false);
  }
});
