import { describe, expect, test } from "@jest/globals";
import type { RefusalCause } from "../../src/engine/reasons/refusal-cause.ts";
import { everyPolicy, queueUnder, restored } from "./every-policy.ts";
import type { QueueHarness } from "./queue-harness.ts";

/** Takes a pull request to its merge, which GitHub refuses for a reason that does not concern the pull request. */
function refuse(queue: QueueHarness, pr: number, cause?: RefusalCause): void {
  queue.submit(pr);
  queue.built(pr);
  queue.passes(pr);
  queue.mergeStops({ kind: "not_allowed", message: "rules", ...(cause ? { cause } : {}) });
}

describe.each(everyPolicy)(
  "with the policy $name, a refused merge whose reason does not concern the pull request",
  (policy) => {
    test("pauses the queue at once, and evicts no pull request", () => {
      const queue = queueUnder(policy);
      refuse(queue, 1, "UPDATES_RESTRICTED");
      expect([queue.stateOf(1), queue.state.status]).toEqual(["tests_passed", "paused"]);
      expect(queue.state.statusReason).toMatchObject({ code: "MERGING_NOT_ALLOWED" });
      queue.configure({ status: "running" });
      queue.mergeStops({ kind: "not_allowed", message: "rules", cause: "UPDATES_RESTRICTED" });
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

    test("with an unknown cause pauses the queue when two pull requests in a row meet it", () => {
      const queue = queueUnder(policy);
      refuse(queue, 1);
      refuse(queue, 1);
      expect(queue.state.status).toBe("running");
      refuse(queue, 2);
      expect(queue.state.status).toBe("paused");
      expect(queue.state.statusReason).toMatchObject({ code: "MERGING_NOT_ALLOWED", left: 1 });
    });

    test("is stored in snapshots", () => {
      const queue = queueUnder(policy);
      refuse(queue, 1);
      expect(restored(queue).lastRefusal).toEqual({ pr: 1, cause: "OTHER" });
    });
  },
);

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
});
