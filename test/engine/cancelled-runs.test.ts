import { describe, expect, test } from "@jest/globals";
import { explain } from "../../src/engine/explain/explain.ts";
import { isActive } from "../../src/engine/model/test-run.ts";
import { renderReason } from "../../src/engine/reasons/render-reason.ts";
import { everyPolicy, orderingPolicies, queueUnder } from "./every-policy.ts";
import { check, type QueueHarness } from "./queue-harness.ts";

const cancels = (queue: QueueHarness, pr: number) => queue.checks(pr, [check("build", "cancelled")]);

function cancelsAgain(queue: QueueHarness, pr: number): void {
  queue.built(pr);
  cancels(queue, pr);
  queue.passesTime(1);
}

const active = (queue: QueueHarness) => [...queue.state.runs.values()].filter(isActive);

/** Builds and ends every active run, except runs that the end of another run has already ended. */
function endTests(queue: QueueHarness, conclusion: "success" | "cancelled"): void {
  for (const { id } of active(queue)) {
    const run = queue.state.runs.get(id);
    if (run && isActive(run)) queue.runBuilt(run);
    queue.take({ type: "checks_observed", runId: id, checks: [check("build", conclusion)] });
  }
}

describe.each(everyPolicy)("with the policy $name, cancelled test runs", (policy) => {
  test("fail the entry the third time in a row, with a reason that names the checks and the concurrency group", () => {
    const queue = queueUnder(policy);
    queue.submit(1);
    cancelsAgain(queue, 1);
    cancelsAgain(queue, 1);
    expect(queue.stateOf(1)).toBe("pending");
    cancelsAgain(queue, 1);
    expect(queue.stateOf(1)).toBe("failed");
    const { reason } = queue.entryOf(1);
    expect(reason).toMatchObject({ code: "TESTS_CANCELLED", times: 3, checks: [{ name: "build" }] });
    expect(renderReason(reason)).toMatch(/^your workflow cancels itself: build .* concurrency group/);
  });

  test("are retried after a growing delay", () => {
    const queue = queueUnder(policy);
    queue.submit(1);
    const waits = [1, 2].map(() => {
      queue.built(1);
      const { now } = queue;
      cancels(queue, 1);
      const wait = (queue.state.entries.get(1)?.retryAt ?? 0) - now;
      queue.passesTime(1);
      return wait;
    });
    expect(waits[1]).toBeGreaterThan(waits[0] ?? 0);
  });
});

describe.each(orderingPolicies)("with the policy $name, cancelled test runs", (policy) => {
  test("are counted from zero again after a verdict", () => {
    const queue = queueUnder(policy, { concurrency: 2 });
    queue.submit(1);
    queue.submit(2);
    queue.built(1, 2);
    cancels(queue, 2);
    queue.passesTime(1);
    queue.built(2);
    queue.passes(2);
    expect(queue.state.entries.get(2)?.cancelledRuns).toBeUndefined();
  });
});

describe.each(everyPolicy.filter(({ order }) => order !== "lanes"))(
  "with the policy $name, cancelled test runs",
  (policy) => {
    test("evict only the batch member that was cancelled for the third time", () => {
      const queue = queueUnder(policy, { batch: true, batchingMinSize: 2 });
      queue.submit(1);
      for (let times = 0; times < 2; times++) {
        queue.passesTime(5);
        queue.built(1);
        cancels(queue, 1);
      }
      queue.submit(2);
      queue.passesTime(5);
      expect(queue.run(1).members).toEqual([1, 2]);
      queue.built(1);
      cancels(queue, 1);
      expect(queue.stateOf(1)).toBe("failed");
      expect(queue.stateOf(2)).toBe("pending");
      expect(queue.state.entries.get(2)?.cancelledRuns).toBe(1);
    });
  },
);

test.each(everyPolicy)(
  "with the policy $name, tests run one at a time after one pull request's runs were cancelled twice in a row",
  (policy) => {
    const queue = queueUnder(policy, { concurrency: 3 });
    for (const pr of [1, 2, 3]) queue.submit(pr);
    queue.passesTime(1);
    for (let round = 0; round < 10 && queue.state.interrupted.size === 0; round++) {
      endTests(queue, "cancelled");
      queue.passesTime(1);
    }
    expect(queue.state.interrupted.size).toBeGreaterThan(0);
    endTests(queue, "cancelled");
    queue.passesTime(1);
    expect(active(queue)).toHaveLength(1);
    const waiting = [...queue.state.entries.values()].find(({ runId }) => runId === null);
    expect(waiting ? explain(queue.state, waiting, queue.now) : []).toContainEqual(
      expect.objectContaining({ code: "NO_FREE_SLOT", text: expect.stringContaining("one at a time") }),
    );
    for (let round = 0; round < 6 && queue.state.entries.size > 0; round++) {
      endTests(queue, "success");
      queue.passesTime(1);
      while (queue.state.merge) queue.merges();
      if (queue.state.interrupted.size > 0) expect(active(queue).length).toBeLessThanOrEqual(1);
    }
    expect(queue.state.entries.size).toBe(0);
  },
);
