import { describe, expect, test } from "@jest/globals";
import { TargetSet } from "../../src/engine/collections/target-set.ts";
import type { QueueSettings } from "../../src/engine/model/settings.ts";
import { check, QueueHarness } from "./queue-harness.ts";

const minute = 60_000;

/**
 * A queue that tests #1 and #2 at once, each by itself. The first failure of #2 has ended and was read.
 *
 * @param aheadMs by how much the code host's clock is ahead
 */
function failedOnce(settings: Partial<QueueSettings>, aheadMs = 0): QueueHarness {
  const queue = new QueueHarness({ policy: "adaptive", mode: "parallel", concurrency: 4, ...settings });
  queue.targets = (pr) => TargetSet.of([pr]);
  queue.base = null;
  queue.submit(1);
  queue.submit(2);
  build(queue);
  queue.now += 10 * minute;
  ends(queue, 2, "failure", queue.now + aheadMs);
  build(queue);
  queue.now += 20 * minute;
  return queue;
}

function build(queue: QueueHarness): void {
  for (const run of queue.state.runs.values()) if (run.state === "building") queue.runBuilt(run);
}

/** Reads only now that the test of a pull request ended at the given time. */
function ends(queue: QueueHarness, pr: number, conclusion: "success" | "failure", completedAt: number): void {
  const runs = [...queue.state.runs.values()];
  const { id: runId } = runs.find(({ state, members }) => state === "running" && members.includes(pr)) ?? {};
  if (runId === undefined) throw new Error(`#${pr} is not tested`);
  const checks = [check("build", conclusion, { completedAt })];
  queue.take({ type: "checks_observed", runId, checks });
}

describe.each([
  { policy: "adaptive" },
  { policy: "adaptive", concurrency: 16 },
  { policy: "beliefs" },
] as const)("verdicts that are read late: with %j,", (settings) => {
  test("a failure from before the only pass does not count as the second failure, although it is read after that pass", () => {
    const queue = failedOnce(settings);
    ends(queue, 1, "success", queue.now - minute);
    ends(queue, 2, "failure", queue.now - 5 * minute);
    expect(["pending", "testing"]).toContain(queue.stateOf(2));
  });

  test("a failure after a pass counts as the second failure", () => {
    const queue = failedOnce(settings);
    ends(queue, 1, "success", queue.now - 5 * minute);
    ends(queue, 2, "failure", queue.now - minute);
    expect(queue.stateOf(2)).toBe("failed");
  });

  test("a pass from before the first failure does not separate it from the second one", () => {
    const queue = failedOnce(settings);
    ends(queue, 1, "success", queue.now - 21 * minute);
    ends(queue, 2, "failure", queue.now - minute);
    expect(["pending_failure", "pending", "testing"]).toContain(queue.stateOf(2));
  });

  test.each([1, -1])(
    "a pass from before the first failure separates nothing if the code host's clock is off by %d minute",
    (minutes) => {
      const queue = failedOnce(settings, minutes * minute);
      ends(queue, 1, "success", queue.now + minutes * minute - 20 * minute - 10_000);
      ends(queue, 2, "failure", queue.now + minutes * minute - minute);
      expect(["pending_failure", "pending", "testing"]).toContain(queue.stateOf(2));
    },
  );

  test("a wrong clock of CI changes nothing in the end", () => {
    const queue = failedOnce(settings);
    const day = 24 * 60 * minute;
    ends(queue, 1, "success", queue.now + day);
    for (let tests = 0; tests < 3 && queue.stateOf(2) !== "failed"; tests++) {
      build(queue);
      queue.now += 10 * minute;
      ends(queue, 2, "failure", queue.now - day);
    }
    expect(queue.stateOf(2)).toBe("failed");
  });
});
