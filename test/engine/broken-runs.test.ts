import { describe, expect, test } from "@jest/globals";
import type { TestCommitOutcome } from "../../src/engine/model/input.ts";
import { bisectionsOf } from "../../src/engine/policies/fixed/fixed-fold.ts";
import { everyPolicy, fixedPolicies, linePolicies, queueUnder } from "./every-policy.ts";
import { check, type QueueHarness } from "./queue-harness.ts";

/** Reports the conclusions of the checks of a pull request's run, by name. */
function ends(queue: QueueHarness, pr: number, conclusions: Record<string, string>): void {
  queue.checks(
    pr,
    Object.entries(conclusions).map(([name, conclusion], index) =>
      check(name, conclusion, { id: index + 1 }),
    ),
  );
}

describe.each(everyPolicy)("with the policy $name, a test run", (policy) => {
  test.each(["cancelled", "stale", "startup_failure"])(
    "with the check conclusion %s is retried, because the code is not at fault",
    (conclusion) => {
      const queue = queueUnder(policy);
      queue.submit(1);
      queue.built(1);
      const first = queue.run(1).id;
      ends(queue, 1, { build: conclusion });
      expect([queue.stateOf(1), queue.reasonOf(1)]).toEqual(["pending", "INFRASTRUCTURE_ERROR"]);
      expect(queue.testing).toEqual([]);
      queue.passesTime(1);
      expect(queue.run(1).id).not.toBe(first);
      queue.built(1);
      queue.passes(1);
      queue.merges();
      expect(queue.stateOf(1)).toBe("merged");
    },
  );

  test.each(["failure", "timed_out", "action_required"])(
    "with the check conclusion %s fails its pull request",
    (conclusion) => {
      const queue = queueUnder(policy);
      queue.submit(1);
      queue.built(1);
      ends(queue, 1, { build: conclusion });
      if (!policy.evictsAtOnce) {
        expect(queue.reasonOf(1)).toMatch(/^(FAILED_ONCE|RETESTED)$/);
        queue.failsToTheEnd(1, () => {
          queue.built(1);
          ends(queue, 1, { build: conclusion });
        });
      }
      expect([queue.stateOf(1), queue.reasonOf(1)]).toEqual(["failed", "CHECKS_FAILED"]);
    },
  );

  test("that is broken three times in a row counts as failed", () => {
    const queue = queueUnder(policy);
    queue.submit(1);
    for (let attempt = 1; attempt <= 2; attempt++) {
      queue.built(1);
      ends(queue, 1, { build: "stale" });
      expect(queue.reasonOf(1)).toBe("INFRASTRUCTURE_ERROR");
      queue.passesTime(1);
    }
    queue.built(1);
    ends(queue, 1, { build: "stale" });
    expect(queue.reasonOf(1)).toMatch(policy.evictsAtOnce ? /^CHECKS_FAILED$/ : /^(FAILED_ONCE|RETESTED)$/);
    queue.failsToTheEnd(1, () => {
      for (let attempt = 1; attempt <= 3 && queue.state.entries.has(1); attempt++) {
        queue.built(1);
        ends(queue, 1, { build: "stale" });
        queue.passesTime(1);
      }
    });
    expect([queue.stateOf(1), queue.reasonOf(1)]).toEqual(["failed", "CHECKS_FAILED"]);
  });

  test("with a failed check fails its pull request, although the other checks were cancelled", () => {
    const queue = queueUnder(policy);
    queue.submit(1);
    const outcome: TestCommitOutcome = {
      kind: "built",
      branch: "b",
      parentSha: "base-0",
      commits: [{ pr: 1, headSha: "head-1", treeSha: "tree", commitSha: "commit" }],
      required: [
        { name: "build", appId: null },
        { name: "test", appId: null },
      ],
      requiredSource: "repo_provider_branch_protection",
    };
    queue.failsToTheEnd(1, () => {
      queue.buildEnds(1, outcome);
      ends(queue, 1, { build: "cancelled", test: "failure" });
    });
    expect(queue.stateOf(1)).toBe("failed");
  });

  test("that is broken is retried after a delay that varies between runs but is the same for the same log", () => {
    const retryAt = (skipped: number) => {
      const queue = queueUnder(policy);
      for (let pr = 1; pr <= skipped; pr++) {
        queue.submit(pr);
        queue.cancel(pr);
      }
      queue.submit(100);
      queue.built(100);
      const { now } = queue;
      ends(queue, 100, { build: "cancelled" });
      return (queue.state.entries.get(100)?.retryAt ?? 0) - now;
    };
    const waits = [0, 1, 2, 3, 4, 5].map(retryAt);
    expect(waits).toEqual([0, 1, 2, 3, 4, 5].map(retryAt));
    expect(new Set(waits).size).toBeGreaterThan(1);
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(3_750);
    expect(Math.max(...waits)).toBeLessThanOrEqual(6_250);
  });
});

describe.each(linePolicies)("with the policy $name, a test run", (policy) => {
  test("that is broken restarts the runs behind it, and its pull request is retried behind them", () => {
    const queue = queueUnder(policy, { concurrency: 3 });
    for (const pr of [1, 2, 3]) queue.submit(pr);
    queue.built(1, 2, 3);
    ends(queue, 2, { build: "cancelled" });
    expect(queue.stateOf(1)).toBe("testing");
    expect(queue.storyOf(3).at(-1)).toBe("testing→pending AHEAD_RESTARTED");
    expect(queue.run(3).ahead).toEqual([1]);
    queue.passesTime(1);
    expect(queue.run(2).ahead).toEqual([1, 3]);
  });

  test("that is broken in a bisection has the whole batch tested again", () => {
    const queue = queueUnder(policy, { batch: true, batchingMinSize: 2, concurrency: 1 });
    queue.submit(1);
    queue.submit(2);
    queue.built(1);
    queue.fails(1);
    const [bisecting] = [...queue.state.runs.values()].filter(({ kind }) => kind === "bisection");
    if (!bisecting) throw new Error("no bisection");
    queue.runBuilt(bisecting);
    queue.take({ type: "checks_observed", runId: bisecting.id, checks: [check("build", "cancelled")] });
    expect(bisectionsOf(queue.state).size).toBe(0);
    queue.passesTime(1);
    expect(queue.run(1).members).toEqual([1, 2]);
  });
});

describe.each(fixedPolicies)("with the policy $name, a test run", (policy) => {
  test("that is broken counts against each of its members separately", () => {
    const queue = queueUnder(policy, { batch: true, batchingMinSize: 2 });
    queue.submit(1);
    queue.passesTime(5);
    const breaks = (pr: number) => {
      queue.passesTime(5);
      queue.built(pr);
      ends(queue, pr, { build: "stale" });
    };
    breaks(1);
    queue.submit(2);
    breaks(1);
    expect(queue.stateOf(2)).toBe("pending");
    queue.cancel(1);
    breaks(2);
    expect(queue.stateOf(2)).toBe("pending");
    breaks(2);
    expect(queue.stateOf(2)).toBe("failed");
  });
});
