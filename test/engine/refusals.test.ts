import { describe, expect, test } from "@jest/globals";
import type { RefusalCause } from "../../src/engine/reasons/refusal-cause.ts";
import { everyPolicy, mergeSteps, queueUnder, restored } from "./every-policy.ts";
import type { QueueHarness } from "./queue-harness.ts";

/** Takes a pull request to its merge, which GitHub refuses. */
function refuse(queue: QueueHarness, pr: number, cause?: RefusalCause): void {
  queue.submit(pr);
  queue.built(pr);
  queue.passes(pr);
  queue.mergeStops({ kind: "refused", message: "rules", ...(cause ? { cause } : {}) });
}

describe.each(everyPolicy)("with the policy $name, a refused merge", (policy) => {
  test("whose cause is certainly not the pull request pauses the queue at once, and evicts no pull request", () => {
    const queue = queueUnder(policy);
    refuse(queue, 1, "UPDATES_RESTRICTED");
    expect([queue.stateOf(1), queue.state.status]).toEqual(["tests_passed", "paused"]);
    expect(queue.state.statusReason).toMatchObject({ code: "MERGING_NOT_ALLOWED" });
    queue.configure({ status: "running" });
    queue.mergeStops({ kind: "refused", message: "rules", cause: "UPDATES_RESTRICTED" });
    expect([queue.stateOf(1), queue.state.status]).toEqual(["tests_passed", "paused"]);
  });

  test("with an unknown cause does not pause the queue when another pull request merges in between", () => {
    const queue = queueUnder(policy);
    refuse(queue, 1);
    queue.submit(2);
    queue.built(2);
    queue.passes(2);
    queue.merges();
    refuse(queue, 3);
    expect([1, 2, 3].map((pr) => queue.stateOf(pr))).toEqual(["failed", "merged", "failed"]);
    expect(queue.state.status).toBe("running");
  });

  test.each([undefined, "COMMIT_MESSAGE_RULE", "SIGNATURE_MISSING", "CODE_SCANNING_MISSING"] as const)(
    "with the cause %s pauses the queue when two pull requests in a row meet it, and never evicts the second",
    (cause) => {
      const queue = queueUnder(policy);
      refuse(queue, 1, cause);
      refuse(queue, 1, cause);
      expect(queue.state.status).toBe("running");
      for (let resumed = 0; resumed < 2; resumed++) {
        if (resumed === 0) refuse(queue, 2, cause);
        else queue.mergeStops({ kind: "refused", message: "rules", ...(cause ? { cause } : {}) });
        expect([queue.state.status, queue.stateOf(2)]).toEqual(["paused", "tests_passed"]);
        expect(queue.state.statusReason).toMatchObject({ code: "MERGING_NOT_ALLOWED", left: 1 });
        queue.configure({ status: "running" });
      }
      queue.merges();
      expect(queue.stateOf(2)).toBe("merged");
      refuse(queue, 3, cause);
      expect([queue.state.status, queue.stateOf(3)]).toEqual(["running", "failed"]);
    },
  );

  test("whose cause is certainly the pull request evicts only that one, and says nothing about others", () => {
    const queue = queueUnder(policy);
    refuse(queue, 1);
    for (const pr of [2, 3]) refuse(queue, pr, "FILE_RULE");
    expect([1, 2, 3].map((pr) => queue.stateOf(pr))).toEqual(["failed", "failed", "failed"]);
    refuse(queue, 4);
    expect([queue.state.status, queue.stateOf(4)]).toEqual(["paused", "tests_passed"]);
  });

  test("of a pull request behind another one of its batch evicts that one", () => {
    const queue = queueUnder(policy, { batch: true, batchingMinSize: 2, batchingMaxWaitTimeMinutes: 1 });
    for (const pr of [1, 2]) queue.submit(pr);
    queue.built(1);
    queue.passes(1);
    expect(mergeSteps(queue)).toEqual([1, 2]);
    queue.mergeStops({ kind: "refused", pr: 2, message: "rules", cause: "FILE_RULE" });
    expect(queue.entryOf(2).reason).toMatchObject({ code: "MERGE_REFUSED", message: "rules" });
    expect([queue.stateOf(2), queue.state.status]).toEqual(["failed", "running"]);
    expect(queue.stateOf(1)).not.toBe("failed");
  });

  test("is stored in snapshots", () => {
    const queue = queueUnder(policy);
    refuse(queue, 1);
    expect(restored(queue).lastRefusal).toEqual({ pr: 1, cause: "OTHER" });
  });
});

describe.each(everyPolicy)("with the policy $name, a refused build", (policy) => {
  test("that concerns one pull request fails only that one, and its batch continues", () => {
    const queue = queueUnder(policy, { batch: true, batchingMinSize: 2, batchingMaxWaitTimeMinutes: 1 });
    for (const pr of [1, 2]) queue.submit(pr);
    const cause = "WORKFLOWS_PERMISSION_MISSING";
    queue.buildEnds(1, { kind: "refused", pr: 2, message: "no", cause });
    expect(queue.entryOf(2).reason).toMatchObject({ code: "MERGE_REFUSED", cause });
    expect([queue.stateOf(1), queue.stateOf(2), queue.state.status]).toEqual([
      "pending",
      "failed",
      "running",
    ]);
  });

  test("that concerns the queue's branches pauses the queue, and evicts no pull request", () => {
    const queue = queueUnder(policy, { concurrency: 2 });
    for (const pr of [1, 2]) queue.submit(pr);
    queue.buildEnds(1, { kind: "refused", pr: null, message: "no", cause: "CREATION_RESTRICTED" });
    expect([queue.stateOf(1), queue.stateOf(2), queue.state.status]).toEqual([
      "pending",
      "pending",
      "paused",
    ]);
    expect(queue.log.filter(({ data }) => data.type === "queue_status_changed")).toHaveLength(1);
    queue.configure({ status: "running" });
    expect(queue.state.runs.size).toBe(2);
  });

  describe("whose cause may be the pull request or the queue's branches", () => {
    const refusal = (pr: number) => ({ kind: "refused", pr, message: "no", cause: "OTHER" }) as const;

    test("pauses the queue when two pull requests in a row meet it, and evicts only the first", () => {
      const queue = queueUnder(policy);
      queue.submit(1);
      queue.buildEnds(1, refusal(1));
      queue.submit(2);
      queue.buildEnds(2, refusal(2));
      expect([queue.stateOf(1), queue.stateOf(2), queue.state.status]).toEqual([
        "failed",
        "pending",
        "paused",
      ]);
      expect(queue.state.statusReason).toMatchObject({ code: "BUILDING_NOT_ALLOWED", left: 1 });
    });

    test("is about the pull request if another one can be built", () => {
      const queue = queueUnder(policy);
      queue.submit(1);
      queue.buildEnds(1, refusal(1));
      queue.submit(2);
      queue.built(2);
      queue.submit(3);
      queue.passes(2);
      queue.merges();
      queue.buildEnds(3, refusal(3));
      expect([queue.stateOf(3), queue.state.status]).toEqual(["failed", "running"]);
    });
  });
});
