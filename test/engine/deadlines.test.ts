import { describe, expect, test } from "@jest/globals";
import type { CheckFact } from "../../src/engine/model/checks/required-checks.ts";
import type { QueueSettings } from "../../src/engine/model/settings.ts";
import { renderReason } from "../../src/engine/reasons/render-reason.ts";
import { activeRuns, everyPolicy, mergeAll, queueUnder } from "./every-policy.ts";
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

  describe("with testingTimeout: auto", () => {
    /** A queue in which 20 tests have passed, each in so many minutes. */
    function afterTests(minutes: number, settings: Partial<QueueSettings> = {}): QueueHarness {
      const queue = queueUnder(policy, { testingTimeoutMinutes: 300, testingTimeout: "auto", ...settings });
      for (let pr = 101; pr <= 120; pr++) {
        queue.submit(pr);
        queue.built(pr);
        queue.passesTime(minutes);
        queue.passes(pr);
        mergeAll(queue);
      }
      return queue;
    }

    /** How long the next test may take, in minutes. */
    function limitOf(queue: QueueHarness): number {
      queue.submit(1);
      queue.built(1);
      const { deadline, builtAt } = queue.run(1);
      return ((deadline ?? 0) - (builtAt ?? 0)) / 60_000;
    }

    test("gives a test twice the time of a long one, at least 10 minutes and at most testingTimeoutMinutes", () => {
      expect(limitOf(afterTests(20))).toBe(40);
      expect(limitOf(afterTests(1))).toBe(10);
      expect(limitOf(afterTests(20, { testingTimeoutMinutes: 30 }))).toBe(30);
      expect(limitOf(afterTests(20, { testingTimeout: "fixed" }))).toBe(300);
      expect(limitOf(queueUnder(policy, { testingTimeoutMinutes: 300, testingTimeout: "auto" }))).toBe(300);
    });

    test("gives tests more time once several have timed out", () => {
      const queue = afterTests(20);
      for (const pr of [201, 202, 203]) {
        queue.submit(pr);
        for (let round = 0; round < 5 && queue.state.entries.has(pr); round++) {
          for (const run of activeRuns(queue)) queue.runBuilt(run);
          queue.passesTime(100);
        }
      }
      const limits = queue.log.flatMap(({ data, at }) =>
        data.type === "run_built" ? [(data.deadline - at) / 60_000] : [],
      );
      expect(limits.slice(20, 21)).toEqual([40]);
      expect(limits.at(-1)).toBeGreaterThan(40);
    });

    test("fails a test that hangs at the limit that it started with, and says it", () => {
      const queue = afterTests(20);
      limitOf(queue);
      queue.configure({ testingTimeout: "fixed" });
      const { id: runId } = queue.run(1);
      queue.take({ type: "checks_observed", runId, checks: [check("build", null)] });
      queue.passesTime(39);
      expect(queue.stateOf(1)).toBe("testing");
      queue.passesTime(1);
      const failed = queue.log.flatMap(({ data }) =>
        data.type === "run_concluded" && data.runId === runId ? [data.reason] : [],
      );
      expect(failed).toMatchObject([{ code: "TESTING_TIMEOUT", minutes: 40, pending: ["build"] }]);
    });
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
