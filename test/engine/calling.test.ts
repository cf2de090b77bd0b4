import { describe, expect, test } from "@jest/globals";
import { fold } from "../../src/engine/evolve.ts";
import { explain } from "../../src/engine/explain/explain.ts";
import type { MergeMethod } from "../../src/engine/model/settings.ts";
import { serializeState } from "../../src/engine/snapshot.ts";
import {
  everyPolicy,
  mergedTogether,
  mergeSteps,
  type PolicyUnderTest,
  queueUnder,
  restored,
} from "./every-policy.ts";
import type { QueueHarness } from "./queue-harness.ts";

/** Three pull requests that have passed, with one merge ordered for all of them. */
function ordered(policy: PolicyUnderTest, mergeMethod: MergeMethod = "squash"): QueueHarness {
  const queue = queueUnder(policy, { concurrency: 3, mergeMethod, canOptimisticallyMerge: true });
  for (const pr of [1, 2, 3]) queue.submit(pr);
  queue.built(1, 2, 3);
  queue.passes(3);
  return queue;
}

const late = (pr: number) => ({ code: "MERGE_ALREADY_ORDERED", pr });

describe.each(everyPolicy)(
  "with the policy $name, an ordered merge that GitHub has not been asked for yet",
  (policy) => {
    test("loses a cancelled pull request and those behind it, and merges those ahead", () => {
      const queue = ordered(policy);
      expect(mergeSteps(queue)).toEqual(mergedTogether(policy, [1, 2, 3]));
      expect(queue.cancel(2)).toBeNull();
      expect([queue.stateOf(2), mergeSteps(queue), queue.stateOf(3)]).toEqual(["cancelled", [1], "pending"]);
    });

    test.each([
      ["closed", { state: "closed" }, "cancelled"],
      ["pushed to", { headSha: "head-1b" }, "cancelled"],
      ["made a draft", { draft: true }, "cancelled"],
      ["merged by hand", { state: "merged", mergedSha: "x" }, "merged"],
      ["objected to", { objections: [{ code: "REVIEW_REQUIRED" }] }, "not_ready"],
    ] as const)("is called off for a pull request that is %s", (_how, facts, state) => {
      const queue = ordered(policy);
      queue.observe(1, facts);
      expect([queue.stateOf(1), mergeSteps(queue)]).toEqual([state, []]);
    });

    test("is called off when its pull request is restarted", () => {
      const queue = ordered(policy);
      expect(queue.restart(1)).toBeNull();
      expect([queue.stateOf(1), mergeSteps(queue)]).toEqual(["pending", []]);
    });

    test("is called off while the queue is paused", () => {
      const queue = ordered(policy);
      queue.configure({ status: "paused" });
      expect(mergeSteps(queue)).toEqual([]);
      queue.configure({ status: "running" });
      expect(mergeSteps(queue)).toEqual(mergedTogether(policy, [1, 2, 3]));
    });

    test("cannot be started after its pull request was cancelled", () => {
      const queue = ordered(policy);
      const attemptId = queue.state.merge?.id ?? "";
      queue.cancel(1);
      const before = queue.log.length;
      queue.take({ type: "merge_calling", attemptId, steps: 1 });
      expect(queue.log).toHaveLength(before);
    });
  },
);

describe.each(everyPolicy)("with the policy $name, a merge that GitHub has been asked for", (policy) => {
  test("can no longer be cancelled for the pull requests in the call, but can for the rest", () => {
    const queue = ordered(policy);
    queue.calls(1);
    expect(queue.cancel(1)).toEqual(late(1));
    queue.observe(1, { state: "closed" });
    expect(queue.stateOf(1)).toBe("tests_passed");
    expect(queue.cancel(3)).toBeNull();
    expect([queue.stateOf(3), mergeSteps(queue)]).toEqual(["cancelled", [1]]);
    queue.merges();
    // In lanes, the proof of #2 was the run of #3, which has left.
    expect([queue.stateOf(1), mergeSteps(queue)]).toEqual(["merged", policy.order === "lanes" ? [] : [2]]);
  });

  test("can no longer be cancelled for any pull request of the batch", () => {
    const queue = queueUnder(policy, { batch: true, batchingMinSize: 3, mergeMethod: "squash" });
    for (const pr of [1, 2, 3]) queue.submit(pr);
    queue.built(1);
    queue.passes(1);
    queue.calls(1);
    expect([1, 2, 3].map((pr) => queue.cancel(pr))).toEqual([late(1), late(2), late(3)]);
  });

  test("can be called off again when GitHub did nothing, also by a pause during the call", () => {
    const queue = ordered(policy);
    queue.calls(1);
    queue.callFailed();
    expect(queue.cancel(1)).toBeNull();
    const paused = ordered(policy);
    const all = mergedTogether(policy, [1, 2, 3]);
    paused.calls(all.length);
    paused.configure({ status: "paused" });
    expect(mergeSteps(paused)).toEqual(all);
    paused.callFailed();
    expect(mergeSteps(paused)).toEqual([]);
  });

  test.each([
    ["GitHub did it late", (queue: QueueHarness) => queue.merges(), "MERGED_IN_ORDER"],
    [
      "somebody else did it",
      (queue: QueueHarness) => queue.finds(1, { state: "merged" }, []),
      "MERGED_BY_OTHERS",
    ],
  ])(
    "decides the reason when it is seen as merged after the call seemed to fail: %s",
    (_who, ends, reason) => {
      const queue = ordered(policy);
      queue.calls(1);
      queue.callFailed();
      queue.observe(1, { state: "merged", mergedSha: "x" });
      expect([queue.stateOf(1), mergeSteps(queue)]).toEqual([
        "tests_passed",
        mergedTogether(policy, [1, 2, 3]),
      ]);
      ends(queue);
      expect([queue.stateOf(1), queue.reasonOf(1)]).toEqual(["merged", reason]);
    },
  );

  test("ignores repeated reports of the call, and is stored in snapshots", () => {
    const queue = ordered(policy);
    const called = mergeSteps(queue).length;
    queue.calls(called);
    const before = queue.log.length;
    queue.calls(called);
    queue.calls(1);
    expect(queue.log).toHaveLength(before);
    const text = serializeState(queue.state);
    expect(serializeState(fold(queue.log))).toBe(text);
    expect(restored(queue).merge).toMatchObject({ called });
  });
});

describe.each(everyPolicy)("with the policy $name, a change found just before the merge", (policy) => {
  test("is handled like any other observation, and does not order the merge again", () => {
    const queue = ordered(policy, "merge_commit");
    if (policy.order !== "line") queue.merges();
    const objections = [{ code: "CHANGES_REQUESTED", by: ["bob"] }] as const;
    queue.finds(2, { objections }, policy.order === "line" ? [1] : []);
    expect([queue.stateOf(1), queue.stateOf(2), queue.stateOf(3)]).toEqual([
      "merged",
      "not_ready",
      "pending",
    ]);
    expect(mergeSteps(queue)).toEqual([]);
    expect(explain(queue.state, queue.entryOf(2), queue.now).map(({ text }) => text)).toEqual([
      "it left the line. The reason: changes were requested by @bob. It keeps its place if it is ready again within 60 minutes",
      "changes were requested by @bob",
    ]);
    queue.observe(2, {});
    expect(queue.stateOf(2)).toBe("pending");
  });

  test("stops the merge of the whole batch", () => {
    const queue = queueUnder(policy, { batch: true, batchingMinSize: 3 });
    for (const pr of [1, 2, 3]) queue.submit(pr);
    queue.built(1);
    queue.passes(1);
    queue.finds(3, { state: "closed" }, []);
    expect([1, 2, 3].map((pr) => queue.stateOf(pr))).toEqual(["pending", "pending", "cancelled"]);
  });
});

test.each(everyPolicy)(
  "with the policy $name, a pull request that becomes not ready again gets the full readiness timeout again",
  (policy) => {
    const queue = queueUnder(policy);
    queue.submit(1, { draft: true });
    queue.passesTime(23 * 60);
    queue.observe(1, {});
    queue.observe(1, { objections: [{ code: "REVIEW_REQUIRED" }] });
    queue.passesTime(23 * 60);
    expect(queue.stateOf(1)).toBe("not_ready");
    queue.passesTime(60);
    expect(queue.reasonOf(1)).toBe("READINESS_TIMEOUT");
  },
);
