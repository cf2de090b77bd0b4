import { describe, expect, test } from "@jest/globals";
import { nextDeadline } from "../../src/engine/deadline.ts";
import type { Obstacle } from "../../src/engine/reasons/reason.ts";
import { everyPolicy, queueUnder } from "./every-policy.ts";
import type { QueueHarness } from "./queue-harness.ts";

const obstacle: Obstacle = { code: "REPOSITORY_UNREACHABLE", repository: "acme/widgets" };
const mismatch = {
  code: "TREE_MISMATCH",
  pr: 1,
  sha: "x",
  expectedTree: "tree-1",
  actualTree: "other",
} as const;
const observe = (queue: QueueHarness, found: Obstacle | null) =>
  queue.take({ type: "reach_observed", obstacle: found });

describe.each(everyPolicy)("with the policy $name, a queue that an obstacle stops", (policy) => {
  const other = policy.settings.mode === "parallel" ? "single" : "parallel";

  function stopped() {
    const queue = queueUnder(policy);
    queue.submit(1);
    queue.built(1);
    observe(queue, obstacle);
    expect(queue.state).toMatchObject({ status: "paused", resumes: "running" });
    return queue;
  }

  test.each([
    ["during a mode switch", ["gone", "passes"]],
    ["after a mode switch", ["passes", "gone"]],
  ] as const)("and that is given another mode resumes when the obstacle is gone %s", (_, steps) => {
    const queue = stopped();
    queue.configure({ mode: other });
    expect(queue.state).toMatchObject({ status: "switching_modes", statusReason: obstacle });
    for (const step of steps)
      if (step === "gone") observe(queue, null);
      else queue.passes(1);
    if (queue.state.merge) queue.merges();
    expect(queue.state).toMatchObject({ status: "running", settings: { mode: other }, resumes: null });
  });

  test("and that is paused together with another mode stays paused", () => {
    const queue = stopped();
    queue.configure({ mode: other, status: "paused" });
    queue.passes(1);
    observe(queue, null);
    expect(queue.state).toMatchObject({
      ...{ next: { status: "paused" }, statusReason: { code: "CONFIGURED" }, merge: null },
    });
    queue.cancel(1);
    expect(queue.state).toMatchObject({ status: "paused", statusReason: { code: "CONFIGURED" } });
  });

  test("and that then finds an untested tree on its branch stays paused until somebody resumes it", () => {
    const queue = queueUnder(policy);
    queue.submit(1);
    queue.built(1);
    queue.passes(1);
    queue.calls(1);
    observe(queue, obstacle);
    queue.mergeStops({ kind: "tree_mismatch", mismatch });
    observe(queue, null);
    expect(queue.state).toMatchObject({ status: "paused", statusReason: mismatch, resumes: null });
  });
});

describe.each(everyPolicy)(
  "with the policy $name, a test whose time is over while an obstacle stops the queue",
  (policy) => {
    /** #1 was built an hour before the end of its time, and the queue has been out of reach since. */
    function overdue() {
      const queue = queueUnder(policy, { testingTimeoutMinutes: 60 });
      queue.submit(1);
      queue.built(1);
      observe(queue, obstacle);
      queue.passesTime(600);
      expect(queue.stateOf(1)).toBe("testing");
      return queue;
    }

    test("has no deadline, so the service is not woken in vain", () => {
      const { state, now } = overdue();
      const next = nextDeadline(state);
      expect(next === null || next > now).toBe(true);
    });

    test("counts with the result that is read soon after the obstacle is gone", () => {
      const queue = overdue();
      observe(queue, null);
      queue.passesTime(5);
      queue.passes(1);
      queue.merges();
      expect(queue.stateOf(1)).toBe("merged");
    });

    test("times out ten minutes after the obstacle is gone", () => {
      const queue = overdue();
      observe(queue, null);
      queue.passesTime(9);
      expect(queue.stateOf(1)).toBe("testing");
      queue.passesTime(2);
      expect(queue.log.some(({ data }) => data.type === "run_concluded" && data.verdict === "failed")).toBe(
        true,
      );
    });
  },
);

describe.each(everyPolicy)("with the policy $name, a queue that switches modes", (policy) => {
  test("and finds an untested tree on its branch has the new mode when somebody resumes it", () => {
    const mode = policy.settings.mode === "parallel" ? "single" : "parallel";
    const queue = queueUnder(policy);
    queue.submit(1);
    queue.built(1);
    queue.configure({ mode });
    queue.passes(1);
    queue.calls(1);
    queue.mergeStops({ kind: "tree_mismatch", mismatch });
    expect(queue.state).toMatchObject({ status: "paused", statusReason: mismatch, settings: { mode } });
  });
});
