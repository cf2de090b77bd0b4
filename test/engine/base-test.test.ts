import { describe, expect, test } from "@jest/globals";
import { explain } from "../../src/engine/explain/explain.ts";
import type { TestCommitOutcome } from "../../src/engine/model/input.ts";
import type { QueueSettings } from "../../src/engine/model/settings.ts";
import type { TestRun } from "../../src/engine/model/test-run.ts";
import { deserializeState, serializeState } from "../../src/engine/snapshot.ts";
import { check, QueueHarness } from "./queue-harness.ts";

/** #1 has failed twice, and nothing has passed. CI has not answered about the base yet. */
function failedTwice(settings: Partial<QueueSettings> = {}): QueueHarness {
  const queue = new QueueHarness({ policy: "adaptive", concurrency: 1, ...settings });
  queue.base = null;
  queue.submit(1);
  queue.failsTwice(1);
  return queue;
}

function baseTest({ state }: QueueHarness): TestRun {
  if (!state.baseTest) throw new Error("the base is not being tested");
  return state.baseTest;
}

function baseEnds(queue: QueueHarness, conclusion: "success" | "failure" | "cancelled"): void {
  if (baseTest(queue).state === "building") queue.runBuilt(baseTest(queue));
  queue.runEnds(baseTest(queue), conclusion);
}

/** Builds the test of the base, which needs these checks. */
function builtWith(queue: QueueHarness, ...names: readonly string[]): TestRun {
  const run = baseTest(queue);
  const built = queue.builtOf(run);
  if (built.kind !== "built") throw new Error(built.kind);
  const required = names.map((name) => ({ name, appId: null }));
  queue.buildOfRunEnds(run, { ...built, required });
  return run;
}

/** The verdicts about the base, with the reason. */
const verdicts = ({ log }: QueueHarness) =>
  log.flatMap(({ data }) => (data.type === "base_test_ended" ? `${data.verdict} ${data.reason.code}` : []));

describe("a pull request that failed twice, when nothing else has passed", () => {
  test("waits for a test of the base that is held to the checks that are required now", () => {
    const queue = failedTwice();
    const run = builtWith(queue, "build");
    queue.requires("build", "test");
    const report = (...names: string[]) =>
      queue.take({
        type: "checks_observed",
        runId: run.id,
        checks: names.map((name, id) => check(name, "success", { id })),
      });
    report("build");
    expect(verdicts(queue)).toEqual([]);
    report("build", "test");
    expect(verdicts(queue)).toEqual([expect.stringMatching(/^passed/)]);
  });

  test("waits for a test of the base, and says so", () => {
    const queue = failedTwice();
    expect(queue.stateOf(1)).toBe("pending_failure");
    expect(baseTest(queue)).toMatchObject({ base: "base-0", ahead: [], members: [1], ofBase: true });
    expect(explain(queue.state, queue.entryOf(1), queue.now)).toMatchObject([
      {
        code: "BASE_TESTED",
        text: "it failed, and nothing has passed since its first failure. The target branch main is being tested by itself, to tell a bad pull request from a broken branch",
      },
    ]);
  });

  test("is tested once more when the base passes, because the cause of both failures may be over, and is then removed", () => {
    const queue = failedTwice();
    baseEnds(queue, "success");
    expect([queue.stateOf(1), queue.reasonOf(1)]).toEqual(["pending", "RETESTED"]);
    queue.built(1);
    queue.fails(1);
    expect([queue.stateOf(1), queue.reasonOf(1)]).toEqual(["failed", "CHECKS_FAILED"]);
    expect(queue.state.baseTest).toBeNull();
  });

  test("is removed at its second failure when the base has passed since the first one", () => {
    const queue = new QueueHarness({ policy: "adaptive", concurrency: 2 });
    queue.base = null;
    queue.submit(1);
    queue.built(1);
    queue.fails(1);
    baseEnds(queue, "success");
    queue.built(1);
    queue.fails(1);
    expect([queue.stateOf(1), queue.reasonOf(1)]).toEqual(["failed", "CHECKS_FAILED"]);
  });

  test("is not removed when the base passes after an outage", () => {
    const queue = failedTwice();
    baseEnds(queue, "success");
    queue.built(1);
    queue.passes(1);
    queue.merges();
    expect(queue.stateOf(1)).toBe("merged");
  });

  test("stays when the base fails, and is tested again as soon as the base passes", () => {
    const queue = failedTwice();
    baseEnds(queue, "failure");
    expect([queue.stateOf(1), queue.reasonOf(1)]).toEqual(["pending", "NOTHING_PASSES"]);
    expect(queue.state.baseTest).toBeNull();
    for (let minutes = 0; minutes < 15 && !queue.state.baseTest; minutes++) {
      if (queue.testing.length > 0) queue.fails(1);
      queue.passesTime(1);
      if (queue.state.entries.get(1)?.runId && queue.run(1).state === "building") queue.built(1);
    }
    baseEnds(queue, "success");
    queue.built(1);
    queue.passes(1);
    queue.merges();
    expect(queue.stateOf(1)).toBe("merged");
  });

  test("is tested once more when another one passes, and the base is not tested any more", () => {
    const queue = failedTwice();
    queue.submit(2);
    queue.built(2);
    queue.passes(2);
    expect([queue.stateOf(1), queue.reasonOf(1)]).toEqual(["pending", "RETESTED"]);
    expect(verdicts(queue)).toEqual(["stopped SLOT_NEEDED"]);
    queue.merges();
    queue.failsToTheEnd(1);
    expect(queue.stateOf(1)).toBe("failed");
  });

  test("is removed without a test of the base with the policy fixed", () => {
    const queue = new QueueHarness({ policy: "fixed" });
    queue.base = null;
    queue.submit(1);
    queue.built(1);
    queue.fails(1);
    expect(queue.stateOf(1)).toBe("failed");
  });

  test("stays while the queue is paused, for example because of an outage", () => {
    const queue = failedTwice();
    queue.configure({ status: "paused" });
    expect(queue.stateOf(1)).toBe("pending_failure");
    baseEnds(queue, "failure");
    expect([queue.stateOf(1), queue.reasonOf(1)]).toEqual(["pending", "NOTHING_PASSES"]);
  });

  test.each([
    ["a draining queue", { status: "draining" }],
    ["a switch of modes", { mode: "parallel" }],
  ] as const)(
    "is not judged during %s, which starts no test, but tested again afterwards",
    (_when, changes) => {
      const queue = new QueueHarness({ policy: "adaptive", concurrency: 1 });
      queue.submit(1);
      queue.built(1);
      queue.fails(1);
      queue.built(1);
      queue.configure(changes);
      queue.fails(1);
      queue.configure({ status: "running" });
      expect([queue.stateOf(1), queue.reasonOf(1)]).toEqual(["pending", "RETESTED"]);
      queue.built(1);
      queue.passes(1);
      expect(queue.stateOf(1)).toBe("tests_passed");
    },
  );

  test("is tested again after it waited for the base when the queue began to drain", () => {
    const queue = failedTwice();
    queue.configure({ status: "draining" });
    expect([queue.stateOf(1), queue.reasonOf(1)]).toEqual(["pending", "RETESTED"]);
  });

  test("keeps the test of the base in a snapshot", () => {
    const queue = failedTwice();
    queue.runBuilt(baseTest(queue));
    const { state } = deserializeState(serializeState(queue.state)).baseTest ?? {};
    expect(state).toBe("running");
  });

  test("does not wait for a base that has moved", () => {
    const queue = failedTwice({ concurrency: 2 });
    queue.take({ type: "base_observed", sha: "base-1", asOfSeq: queue.state.seq });
    expect(verdicts(queue)).toEqual(["stopped BASE_MOVED"]);
    expect(baseTest(queue).base).toBe("base-1");
  });

  test("leaves nothing behind when it is cancelled", () => {
    const queue = failedTwice();
    queue.runBuilt(baseTest(queue));
    queue.cancel(1);
    expect(queue.state.baseTest).toBeNull();
    const ended = queue.log.findLast(({ data }) => data.type === "base_test_ended");
    expect(ended?.data).toMatchObject({ verdict: "stopped", dropped: { built: true, cancels: true } });
  });
});

describe("while the base fails", () => {
  /** #1 has failed twice, the base has failed once, and others wait. */
  function baseFailed(settings: Partial<QueueSettings>): QueueHarness {
    const queue = failedTwice(settings);
    baseEnds(queue, "failure");
    for (const pr of [2, 3, 4]) queue.submit(pr);
    return queue;
  }

  test("it takes turns with the pull requests that wait if there is one slot, so that one flake does not stop the queue", () => {
    const queue = baseFailed({});
    const tested: number[] = [];
    for (let rounds = 0; rounds < 4; rounds++) {
      queue.passesTime(20);
      if (queue.state.baseTest) {
        baseEnds(queue, "failure");
        tested.push(0);
      }
      const [pr] = queue.testing;
      if (pr === undefined) continue;
      if (queue.run(pr).state === "building") queue.built(pr);
      queue.fails(pr);
      tested.push(pr);
    }
    expect(tested.filter((pr) => pr === 0).length).toBeGreaterThan(1);
    expect(new Set(tested).size).toBeGreaterThan(2);
  });

  test("it is tested beside one pull request if there are two slots", () => {
    const queue = baseFailed({ concurrency: 2 });
    queue.passesTime(20);
    expect([baseTest(queue).ofBase, queue.testing.length]).toEqual([true, 1]);
  });

  test("a pull request that waits behind the test of the base says so", () => {
    const queue = baseFailed({});
    for (let rounds = 0; rounds < 4 && !queue.state.baseTest; rounds++) {
      queue.passesTime(20);
      const [pr] = queue.testing;
      if (pr === undefined || queue.state.baseTest) continue;
      if (queue.run(pr).state === "building") queue.built(pr);
      queue.fails(pr);
    }
    const waiting = [...queue.state.entries.values()].find(
      ({ state, retryAt }) => state === "pending" && retryAt === null,
    );
    if (!waiting) throw new Error("nothing waits");
    expect(explain(queue.state, waiting, queue.now)[0]?.text).toMatch(
      /^the target branch main is tested by itself first\. /,
    );
  });
});

describe("a test of the base", () => {
  const unbuildable: [string, TestCommitOutcome][] = [
    ["because nothing is required", { kind: "no_required_checks" }],
    ["because permissions are missing", { kind: "permission_denied", message: "no" }],
  ];
  test.each(unbuildable)("that cannot be built, %s, decides nothing", (_why, outcome) => {
    const queue = failedTwice();
    queue.buildOfRunEnds(baseTest(queue), outcome);
    expect(queue.stateOf(1)).toBe("failed");
  });

  test("that cannot be built because of an outage keeps the pull request", () => {
    const queue = failedTwice();
    queue.buildOfRunEnds(baseTest(queue), { kind: "infrastructure_error", message: "bad gateway" });
    expect([queue.stateOf(1), queue.reasonOf(1)]).toEqual(["pending", "NOTHING_PASSES"]);
  });

  test("that was cancelled decides nothing", () => {
    const queue = failedTwice();
    baseEnds(queue, "cancelled");
    expect(queue.stateOf(1)).toBe("failed");
  });

  test("that fails only in another check than the pull request counts as a pass: it is tested once more", () => {
    const queue = failedTwice();
    const run = builtWith(queue, "build", "lint");
    const checks = [check("build", "success", { id: 1 }), check("lint", "failure", { id: 2 })];
    queue.take({ type: "checks_observed", runId: run.id, checks });
    expect([queue.stateOf(1), queue.reasonOf(1)]).toEqual(["pending", "RETESTED"]);
    expect(verdicts(queue)).toEqual(["passed CHECKS_FAILED"]);
  });

  test("that does not have the check in which the pull request failed, and fails in another one, decides nothing", () => {
    const queue = failedTwice();
    const run = builtWith(queue, "lint");
    queue.take({ type: "checks_observed", runId: run.id, checks: [check("lint", "failure", { id: 2 })] });
    expect(queue.stateOf(1)).toBe("failed");
    expect(verdicts(queue)).toEqual(["unknown CHECKS_FAILED"]);
  });

  test("that fails first in another check than the pull request waits for the others", () => {
    const queue = failedTwice();
    const run = builtWith(queue, "build", "lint");
    const lint = check("lint", "failure", { id: 2 });
    queue.take({ type: "checks_observed", runId: run.id, checks: [check("build", null, { id: 1 }), lint] });
    expect(queue.stateOf(1)).toBe("pending_failure");
    queue.take({
      type: "checks_observed",
      runId: run.id,
      checks: [check("build", "failure", { id: 1 }), lint],
    });
    expect([queue.stateOf(1), queue.reasonOf(1)]).toEqual(["pending", "NOTHING_PASSES"]);
  });

  test("that CI does not run decides nothing after a few minutes", () => {
    const queue = failedTwice();
    queue.runBuilt(baseTest(queue));
    queue.passesTime(30);
    expect(queue.stateOf(1)).toBe("failed");
    expect(verdicts(queue)).toEqual(["unknown TESTING_TIMEOUT"]);
  });

  test("that never ends counts as a failure of the base", () => {
    const queue = failedTwice({ testingTimeoutMinutes: 60 });
    queue.runBuilt(baseTest(queue));
    const run = baseTest(queue);
    queue.take({ type: "checks_observed", runId: run.id, checks: [check("build", null)] });
    queue.passesTime(30);
    expect(queue.stateOf(1)).toBe("pending_failure");
    queue.passesTime(31);
    expect([queue.stateOf(1), queue.reasonOf(1)]).toEqual(["pending", "NOTHING_PASSES"]);
  });

  test("is not repeated for ever if CI never runs it, until somebody changes the queue", () => {
    const queue = failedTwice();
    const tests = () => queue.log.filter(({ data }) => data.type === "base_test_started").length;
    for (let pr = 1; pr <= 5; pr++) {
      if (pr > 1) {
        queue.submit(pr);
        queue.failsTwice(pr);
      }
      if (queue.state.baseTest) {
        queue.runBuilt(baseTest(queue));
        queue.passesTime(30);
      }
      expect(queue.stateOf(pr)).toBe("failed");
      queue.submit(100 + pr);
      queue.built(100 + pr);
      queue.passes(100 + pr);
      queue.merges();
    }
    expect(tests()).toBe(3);
    queue.configure({ status: "paused" });
    queue.configure({ status: "running" });
    queue.submit(50);
    queue.failsTwice(50);
    expect(tests()).toBe(4);
  });
});
