import { describe, expect, test } from "@jest/globals";
import type { CheckFact } from "../../src/engine/model/checks/required-checks.ts";
import { renderReason } from "../../src/engine/reasons/render-reason.ts";
import { activeRuns, everyPolicy, queueUnder } from "./every-policy.ts";
import { check, type QueueHarness } from "./queue-harness.ts";

describe.each(everyPolicy)("with the policy $name, the clock", (policy) => {
  /** Lets every test run past its deadline until the pull request has left the queue. */
  function timesOut(queue: QueueHarness, checks: CheckFact[]): string {
    for (let round = 0; round < 5 && queue.state.entries.has(1); round++) {
      for (const run of activeRuns(queue)) queue.runBuilt(run);
      for (const { id: runId } of activeRuns(queue)) queue.take({ type: "checks_observed", runId, checks });
      queue.passesTime(31);
    }
    expect(queue.stateOf(1)).toBe("failed");
    return renderReason(queue.entryOf(1).reason);
  }

  test("fails a pull request whose tests take too long, and names the checks that never reported", () => {
    const queue = queueUnder(policy, { testingTimeoutMinutes: 30 });
    queue.submit(1);
    expect(timesOut(queue, [])).toBe("tests did not finish within 30 minutes; never reported: build");
  });

  test("fails a pull request whose tests hang, and names the checks that are still running", () => {
    const queue = queueUnder(policy, { testingTimeoutMinutes: 30 });
    queue.submit(1);
    const text = "tests did not finish within 30 minutes; still running: build";
    expect(timesOut(queue, [check("build", null)])).toBe(text);
  });

  test("retries a build after an infrastructure error, up to 290 times", () => {
    const queue = queueUnder(policy);
    queue.submit(1);
    for (let attempt = 1; attempt < 290; attempt++) {
      queue.buildEnds(1, { kind: "infrastructure_error", message: "bad gateway" });
      expect(queue.reasonOf(1)).toBe("INFRASTRUCTURE_ERROR");
      expect(queue.testing).toEqual([]);
      queue.passesTime(11);
      expect(queue.testing).toEqual([1]);
    }
    queue.buildEnds(1, { kind: "infrastructure_error", message: "bad gateway" });
    expect(queue.storyOf(1).at(-1)).toBe("pending→failed RETRIES_EXHAUSTED");
  });
});
