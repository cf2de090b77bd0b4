import { describe, expect, test } from "@jest/globals";
import { explain } from "../../src/engine/explain/explain.ts";
import type { TestEvidence } from "../../src/engine/model/checks/required-checks.ts";
import type { QueueSettings } from "../../src/engine/model/settings.ts";
import type { TestRun } from "../../src/engine/model/test-run.ts";
import { everyPolicy } from "./every-policy.ts";
import { check, QueueHarness } from "./queue-harness.ts";

const onlyFlakes: TestEvidence = { forgiven: [], flaky: [{ name: "build", tests: ["pays by card"] }] };

/** A queue whose first pull request is being tested. */
function testing(settings: Partial<QueueSettings> = {}, ...prs: number[]): QueueHarness {
  const queue = new QueueHarness(settings);
  queue.targets = () => "ALL";
  for (const pr of prs.length > 0 ? prs : [1]) queue.submit(pr);
  queue.built(1);
  return queue;
}

function reports(
  queue: QueueHarness,
  run: TestRun,
  id: number,
  conclusion: string,
  tests?: TestEvidence,
): void {
  const checks = [check("build", conclusion, { id })];
  queue.take({ type: "checks_observed", runId: run.id, checks, ...(tests ? { tests } : {}) });
}

function conclusionOf(queue: QueueHarness): string | undefined {
  const concluded = queue.log.findLast(({ data }) => data.type === "run_concluded")?.data;
  return concluded?.type === "run_concluded" ? concluded.verdict : undefined;
}

const retriesOf = (queue: QueueHarness) => queue.log.filter(({ data }) => data.type === "run_retried");

describe.each(everyPolicy)("with the policy $name, a run in which only known flakes failed", (policy) => {
  test("has its failed checks rerun, stays in testing, and merges when they pass", () => {
    const queue = testing(policy.settings);
    reports(queue, queue.run(1), 1, "failure", onlyFlakes);
    expect(queue.stateOf(1)).toBe("testing");
    expect(retriesOf(queue)).toHaveLength(1);
    // The old failure is still reported until the new check run appears.
    reports(queue, queue.run(1), 1, "failure", onlyFlakes);
    reports(queue, queue.run(1), 1, "failure");
    expect(queue.stateOf(1)).toBe("testing");
    expect(retriesOf(queue)).toHaveLength(1);
    reports(queue, queue.run(1), 2, "success");
    queue.merges();
    expect(queue.stateOf(1)).toBe("merged");
    expect(queue.entryOf(1).reason).toMatchObject({ code: "MERGED_IN_ORDER", retried: ["pays by card"] });
  });

  test("explains that it waits for known flakes", () => {
    const queue = testing(policy.settings);
    reports(queue, queue.run(1), 1, "failure", onlyFlakes);
    expect(explain(queue.state, queue.entryOf(1), queue.now).at(-1)?.text).toMatch(
      /waiting for build.*known flakes pays by card/,
    );
  });

  test("fails without a retry when it has no report, when another check failed, or when the queue allows no retries", () => {
    const withoutReport = testing(policy.settings);
    reports(withoutReport, withoutReport.run(1), 1, "failure");
    expect(retriesOf(withoutReport)).toEqual([]);
    expect(conclusionOf(withoutReport)).toBe("failed");
    const ofAnother = testing(policy.settings);
    reports(ofAnother, ofAnother.run(1), 1, "failure", {
      ...onlyFlakes,
      flaky: [{ name: "lint", tests: ["x"] }],
    });
    expect(retriesOf(ofAnother)).toEqual([]);
    const never = testing({ ...policy.settings, flakyRetries: 0 });
    reports(never, never.run(1), 1, "failure", onlyFlakes);
    expect(retriesOf(never)).toEqual([]);
    for (const queue of [ofAnother, never]) expect(conclusionOf(queue)).toBe("failed");
  });

  test("still has to finish within the testing timeout", () => {
    const queue = testing({ ...policy.settings, testingTimeoutMinutes: 30 });
    reports(queue, queue.run(1), 1, "failure", onlyFlakes);
    queue.passesTime(31);
    expect(queue.log.findLast(({ data }) => data.type === "run_concluded")?.data).toMatchObject({
      verdict: "failed",
      reason: { code: "TESTING_TIMEOUT", missing: ["build"] },
    });
  });

  test("fails with its check results when GitHub refuses the retry", () => {
    const queue = testing(policy.settings);
    const { id: runId } = queue.run(1);
    reports(queue, queue.run(1), 1, "failure", onlyFlakes);
    queue.take({ type: "retry_refused", runId, attempt: 2, message: "of another attempt" });
    expect(queue.stateOf(1)).toBe("testing");
    queue.take({ type: "retry_refused", runId, attempt: 1, message: "Resource not accessible" });
    expect(queue.log.findLast(({ data }) => data.type === "run_concluded")?.data).toMatchObject({
      verdict: "failed",
      reason: { code: "CHECKS_FAILED" },
    });
    expect(retriesOf(queue)).toHaveLength(1);
  });

  test("is not retried for a commit status, which cannot be rerun", () => {
    const queue = testing(policy.settings);
    const status = { ...check("build", "failure"), kind: "status" as const, suiteId: null };
    queue.take({ type: "checks_observed", runId: queue.run(1).id, checks: [status], tests: onlyFlakes });
    expect(retriesOf(queue)).toEqual([]);
  });
});

const onlyNew: TestEvidence = {
  forgiven: [],
  flaky: [],
  withNewTests: [{ name: "build", tests: ["pays by card"] }],
};

describe.each(everyPolicy)("with the policy $name, a run in which only new tests failed", (policy) => {
  test("has its failed checks rerun, explains why, and merges when they pass", () => {
    const queue = testing(policy.settings);
    reports(queue, queue.run(1), 1, "failure", onlyNew);
    expect(retriesOf(queue).map(({ data }) => data)).toEqual([
      expect.objectContaining({ reason: { code: "NEW_TESTS_RETRIED", tests: ["pays by card"] } }),
    ]);
    expect(explain(queue.state, queue.entryOf(1), queue.now).at(-1)?.text).toMatch(
      /waiting for build.*new tests failed: pays by card/,
    );
    reports(queue, queue.run(1), 2, "success");
    queue.merges();
    expect(queue.stateOf(1)).toBe("merged");
    expect(queue.entryOf(1).reason).toMatchObject({
      code: "MERGED_IN_ORDER",
      retriedNew: ["pays by card"],
    });
    expect(queue.entryOf(1).reason).not.toHaveProperty("retried");
  });

  test("fails when the new tests fail again, however often the queue retries known flakes", () => {
    const queue = testing({ ...policy.settings, flakyRetries: 3 });
    for (const id of [1, 2]) reports(queue, queue.run(1), id, "failure", onlyNew);
    expect(retriesOf(queue)).toHaveLength(1);
    expect(conclusionOf(queue)).toBe("failed");
  });

  test("fails at once when the queue allows no retries, or when another check failed", () => {
    const never = testing({ ...policy.settings, flakyRetries: 0 });
    reports(never, never.run(1), 1, "failure", onlyNew);
    const ofAnother = testing(policy.settings);
    const lint = { ...onlyNew, withNewTests: [{ name: "lint", tests: ["x"] }] };
    reports(ofAnother, ofAnother.run(1), 1, "failure", lint);
    for (const queue of [never, ofAnother]) {
      expect(retriesOf(queue)).toEqual([]);
      expect(conclusionOf(queue)).toBe("failed");
    }
  });
});

describe("a known flake that fails again", () => {
  test("fails the run after the number of retries that the queue allows", () => {
    const queue = testing({ flakyRetries: 2 });
    for (const id of [1, 2]) {
      reports(queue, queue.run(1), id, "failure", onlyFlakes);
      expect(queue.stateOf(1)).toBe("testing");
    }
    reports(queue, queue.run(1), 3, "failure", onlyFlakes);
    expect(queue.stateOf(1)).toBe("failed");
    expect(queue.reasonOf(1)).toBe("CHECKS_FAILED");
  });

  test("evicts no member in a bisection, and the members are retested", () => {
    const queue = new QueueHarness({ batch: true, batchingMinSize: 2, bisectionConcurrency: 2 });
    for (const pr of [1, 2]) queue.submit(pr);
    queue.built(1);
    reports(queue, queue.run(1), 1, "failure");
    const probe = [...queue.state.runs.values()].find(({ kind }) => kind === "bisection");
    if (!probe) throw new Error("nothing is bisected");
    queue.runBuilt(probe);
    reports(queue, queue.state.runs.get(probe.id) ?? probe, 1, "failure", onlyFlakes);
    expect(queue.state.runs.get(probe.id)?.state).toBe("running");
    reports(queue, queue.state.runs.get(probe.id) ?? probe, 2, "failure", onlyFlakes);
    expect(queue.state.runs.has(probe.id)).toBe(false);
    expect([queue.stateOf(1), queue.stateOf(2)]).toEqual(["pending", "pending"]);
    expect(queue.storyOf(1).join()).not.toContain("failed");
  });

  test("evicts no pull request with the policy beliefs until it has failed in three runs", () => {
    const queue = testing({ policy: "beliefs" });
    for (let anew = 1; anew <= 3; anew++) {
      expect(queue.stateOf(1)).toBe("testing");
      reports(queue, queue.run(1), 1, "failure", onlyFlakes);
      expect(queue.stateOf(1)).toBe("testing");
      reports(queue, queue.run(1), 2, "failure", onlyFlakes);
      if (anew === 3) break;
      expect(queue.stateOf(1)).toBe("pending");
      queue.passesTime(5);
      queue.built(1);
    }
    expect(queue.log.filter(({ data }) => data.type === "run_concluded")).toHaveLength(1);
  });
});

test("a pull request that only known flakes fail is tested at most three times while the one ahead of it is undecided", () => {
  const queue = testing({ policy: "beliefs", concurrency: 4 });
  queue.submit(2);
  const onTop = () =>
    [...queue.state.runs.values()].find(
      ({ members, ahead, state }) => members[0] === 2 && ahead[0] === 1 && state === "building",
    );
  let anew = 0;
  for (let run = onTop(); run && anew < 10; run = onTop()) {
    anew += 1;
    queue.runBuilt(run);
    for (const id of [1, 2]) reports(queue, queue.state.runs.get(run.id) ?? run, id, "failure", onlyFlakes);
    queue.passesTime(5);
  }
  expect(anew).toBe(3);
  expect(queue.stateOf(1)).toBe("testing");
});

describe("failed quarantined tests", () => {
  const forgiven: TestEvidence = { forgiven: [{ name: "build", tests: ["ships by sea"] }], flaky: [] };

  test.each(everyPolicy)(
    "of a passed check are named in the merge reason, with the policy $name",
    (policy) => {
      const queue = testing(policy.settings);
      reports(queue, queue.run(1), 1, "success", forgiven);
      queue.merges();
      expect(queue.entryOf(1).reason).toMatchObject({ code: "MERGED_IN_ORDER", forgiven: ["ships by sea"] });
    },
  );

  test("of a failed check do not excuse its failure", () => {
    const queue = testing();
    reports(queue, queue.run(1), 1, "failure", forgiven);
    expect(queue.stateOf(1)).toBe("failed");
  });
});
