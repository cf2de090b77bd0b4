import { describe, expect, test } from "@jest/globals";
import type { QueueSettings } from "../../src/engine/model/settings.ts";
import { bisectionsOf } from "../../src/engine/policies/fixed/fixed-fold.ts";
import { renderReason } from "../../src/engine/reasons/render-reason.ts";
import { QueueHarness } from "./queue-harness.ts";

/** A batch of pull requests 1 to `size` that has failed. */
function failedBatch(size: number, settings: Partial<QueueSettings>): QueueHarness {
  const queue = new QueueHarness({
    batch: true,
    batchingMinSize: size,
    optimizationMode: "bisection_skip_redundant_tests",
    ...settings,
  });
  for (let pr = 1; pr <= size; pr++) queue.submit(pr);
  queue.built(1);
  queue.fails(1);
  return queue;
}

/** Fails every run under way that contains a culprit, and passes the others. Returns the sizes of the prefixes that were tested. */
function round(queue: QueueHarness, culprits: readonly number[]): number[] {
  const runs = [...queue.state.runs.values()].filter(({ state }) => state === "building");
  for (const run of runs) queue.runBuilt(run);
  for (const run of runs)
    queue.runEnds(run, run.members.some((pr) => culprits.includes(pr)) ? "failure" : "success");
  return runs.map(({ members }) => members.length);
}

const verdictOn = (queue: QueueHarness, pr: number) => `${queue.stateOf(pr)} ${queue.reasonOf(pr)}`;

describe.each(["adaptive", "fixed"] as const)("with the policy %s, a failed batch", (policy) => {
  // The failure of the batch may be the fault of others.
  const culprit = policy === "fixed" ? "failed CHECKS_FAILED" : "pending FAILED_ONCE";

  test("is bisected, so that the members before its culprit merge, and the rest is tested together", () => {
    const queue = failedBatch(4, { policy, bisectionConcurrency: 1 });
    expect(queue.reasonOf(1)).toBe("BISECTION_REQUIRED");
    expect(round(queue, [3])).toEqual([2]);
    expect(round(queue, [3])).toEqual([3]);
    expect([1, 2, 3, 4].map((pr) => queue.stateOf(pr))).toEqual([
      "tests_passed",
      "tests_passed",
      "pending_failure",
      "pending",
    ]);
    expect(queue.reasonOf(1)).toBe("IMPLIED_BY_BISECTION");
    expect(queue.state.merge?.steps.map(({ pr }) => pr)).toEqual([1, 2]);
    queue.merges();
    expect(verdictOn(queue, 3)).toBe(culprit);
    queue.passesTime(5);
    // #4 waited for a full batch, and the slot was idle.
    expect(queue.testing).toEqual([policy === "fixed" ? 4 : 3]);
    expect(bisectionsOf(queue.state).size).toBe(0);
  });

  test("does not make the pull requests behind it say that a member of it failed", () => {
    const queue = new QueueHarness({ policy, concurrency: 2, batch: true, batchingMinSize: 2 });
    for (const pr of [1, 2, 3, 4]) queue.submit(pr);
    queue.built(1, 3);
    queue.fails(1);
    expect(queue.stateOf(1)).not.toBe("failed");
    expect(renderReason(queue.state.entries.get(3)?.reason ?? { code: "READY" })).toBe(
      "the batch of #1 and #2 ahead failed, and its culprit is not known yet",
    );
  });

  test("is split into as many parts as its bisection slots allow", () => {
    const queue = failedBatch(9, { policy, bisectionConcurrency: 2 });
    expect(round(queue, [5])).toEqual([3, 6]);
    expect(round(queue, [5])).toEqual([4, 5]);
    expect(queue.state.merge?.steps).toHaveLength(4);
    queue.merges();
    expect(verdictOn(queue, 5)).toBe(culprit);
  });

  test("blames only its first member when the prefix with that one member fails", () => {
    const queue = failedBatch(2, { policy });
    expect(round(queue, [1])).toEqual([1]);
    expect(verdictOn(queue, 1)).toBe(culprit);
    expect(queue.stateOf(2)).toBe("pending");
  });

  test("blocks tests behind it until its culprit is known", () => {
    const queue = failedBatch(2, { policy, concurrency: 4 });
    queue.submit(3);
    queue.passesTime(5);
    expect(queue.testing).toEqual([1]);
    round(queue, [2]);
    expect(queue.stateOf(2)).toBe("pending_failure");
    expect(queue.run(3).ahead).toEqual([1]);
  });

  test("is halved and its known failure is tested again when redundant tests are not skipped", () => {
    const queue = failedBatch(4, { policy, bisectionConcurrency: 2, optimizationMode: "off" });
    expect(round(queue, [4])).toEqual([2, 4]);
    expect(round(queue, [4])).toEqual([3, 4]);
    queue.merges();
    expect(verdictOn(queue, 4)).toBe(culprit);
  });

  test("has its culprit retested when the prefix ahead of the culprit leaves the queue", () => {
    const queue = failedBatch(2, { policy, concurrency: 2 });
    round(queue, [2]);
    queue.mergeStops({ kind: "refused", message: "no" });
    expect(queue.stateOf(1)).toBe("failed");
    expect(queue.stateOf(2)).toBe("pending");
  });

  test("passes as a whole when its failure was a flake", () => {
    const queue = failedBatch(4, { policy, bisectionConcurrency: 2, optimizationMode: "off" });
    round(queue, []);
    expect([1, 2, 3, 4].map((pr) => queue.stateOf(pr))).toEqual(Array(4).fill("tests_passed"));
    queue.merges();
    expect(queue.state.runs.size).toBe(0);
  });

  test("stops its bisection and is tested again when a member leaves or the base moves", () => {
    const queue = failedBatch(4, { policy });
    queue.cancel(2);
    expect(bisectionsOf(queue.state).size).toBe(0);
    queue.passesTime(5);
    expect(queue.testing).toEqual([1, 3, 4]);
    queue.built(1);
    queue.fails(1);
    queue.baseMovesTo("outside");
    expect(bisectionsOf(queue.state).size).toBe(0);
    expect(queue.run(4).base).toBe("outside");
  });

  test("delays a mode change only until its current round ends, and is then retested in the new mode", () => {
    const queue = failedBatch(4, { policy, bisectionConcurrency: 1 });
    queue.configure({ mode: "parallel" });
    expect(queue.state.status).toBe("switching_modes");
    expect(round(queue, [3])).toEqual([2]);
    expect(queue.state).toMatchObject({ status: "running", settings: { mode: "parallel" } });
    expect(bisectionsOf(queue.state).size).toBe(0);
    expect(queue.testing).toEqual([1, 2, 3, 4]);
  });
});
