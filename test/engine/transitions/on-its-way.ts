import type { TestCommitOutcome } from "../../../src/engine/model/input.ts";
import type { MergeStop } from "../../../src/engine/model/merge-attempt.ts";
import type { QueueSettings } from "../../../src/engine/model/settings.ts";
import { check, QueueHarness } from "../queue-harness.ts";
import { behind } from "./from-any-state.ts";
import { does, type Scenarios } from "./scenario.ts";

/** #2 alone, after its build ended with the given outcome. */
function build(outcome: TestCommitOutcome): QueueHarness {
  const queue = new QueueHarness();
  queue.submit(2);
  queue.buildEnds(2, outcome);
  return queue;
}

/** #2 alone and tested; its merge is ordered. */
function tested(): QueueHarness {
  const queue = new QueueHarness();
  queue.submit(2);
  queue.built(2);
  queue.passes(2);
  return queue;
}

/** #2 alone and not tested; its merge is ordered. */
function direct(): QueueHarness {
  const queue = new QueueHarness({ directMergeMode: "always" });
  queue.submit(2);
  const outcome = { kind: "passed", treeSha: "tree" } as const;
  queue.take({ type: "head_examined", pr: 2, headSha: "head-2", base: "base-0", outcome });
  return queue;
}

/** A failed batch of #2 and #3, in the given order, that is being bisected. */
function bisected(first = 2, second = 3): QueueHarness {
  const queue = new QueueHarness({ batch: true, batchingMinSize: 2 });
  queue.submit(first);
  queue.submit(second);
  queue.built(2);
  queue.fails(2);
  const [run] = [...queue.state.runs.values()].filter(({ state }) => state === "building");
  if (run) queue.runBuilt(run);
  return queue;
}

/** Ends the run of the first round of a bisection. */
function round(queue: QueueHarness, conclusion: "success" | "failure"): void {
  const [run] = [...queue.state.runs.values()].filter(({ state }) => state === "running");
  if (run) queue.runEnds(run, conclusion);
}

/** #2 failed. #3, whose run contains #2, is under test. */
function waitingForSuccessor(settings: Partial<QueueSettings>): QueueHarness {
  const queue = new QueueHarness({ concurrency: 2, pendingFailureDepth: 1, ...settings });
  queue.submit(2);
  queue.submit(3);
  queue.built(2, 3);
  queue.fails(2);
  return queue;
}

const mismatch: MergeStop = {
  kind: "tree_mismatch",
  mismatch: { code: "TREE_MISMATCH", pr: 2, sha: "odd", expectedTree: "a", actualTree: "b" },
};

/** The arrows of #2 that start in one state, without the policy `beliefs`. */
/** The second pull request of a batch whose first one is being merged when another check becomes required. */
function mergedInPart(): QueueHarness {
  const queue = new QueueHarness({ batch: true, batchingMinSize: 2 });
  queue.submit(1);
  queue.submit(2);
  queue.built(2);
  queue.passes(2);
  queue.calls(1);
  queue.requires("build", "test");
  queue.merges();
  queue.requires("build", "test");
  return queue;
}

const requireTest = (queue: QueueHarness) => queue.requires("build", "test");

export const onItsWay: Scenarios = [
  [
    "testing → pending REQUIRED_CHECKS_CHANGED",
    does(
      () => behind("testing"),
      (queue) => {
        requireTest(queue);
        const reads = (): unknown =>
          queue.take({
            type: "checks_observed",
            runId: queue.run(2).id,
            checks: [check("build", "success")],
            isQuiet: true,
          });
        reads();
        queue.passesTime(queue.state.settings.missingCheckMinutes);
        reads();
      },
    ),
  ],
  ["tests_passed → pending REQUIRED_CHECKS_CHANGED", mergedInPart],
  [
    "pending_failure → pending REQUIRED_CHECKS_CHANGED",
    does(() => {
      const queue = bisected(3, 2);
      round(queue, "success");
      return queue;
    }, requireTest),
  ],
  ["tests_passed → testing REQUIRED_CHECKS_CHANGED", does(() => behind("tests_passed"), requireTest)],
  [
    "pending_failure → testing REQUIRED_CHECKS_CHANGED",
    does(
      () => behind("pending_failure"),
      (queue) => queue.requires("test"),
    ),
  ],
  [
    "not_ready → pending READY",
    does(
      () => behind("not_ready"),
      (queue) => queue.observe(2, {}),
    ),
  ],
  [
    "not_ready → cancelled READINESS_TIMEOUT",
    does(
      () => behind("not_ready"),
      (queue) => queue.passesTime(24 * 60),
    ),
  ],
  ["pending → testing TESTS_STARTED", () => behind("testing")],
  ["pending → failed MERGE_CONFLICT_WITH_BASE", () => build({ kind: "conflict", pr: 2 })],
  ["pending → failed EMPTY_PULL_REQUEST", () => build({ kind: "empty", pr: 2 })],
  ["pending → failed REBASE_NOT_POSSIBLE", () => build({ kind: "not_rebaseable", pr: 2, why: "conflict" })],
  ["pending → failed NO_REQUIRED_CHECKS", () => build({ kind: "no_required_checks" })],
  [
    "pending → failed CONFIGURATION_INVALID",
    () => build({ kind: "configuration_invalid", message: "not a list" }),
  ],
  ["pending → failed PERMISSION_DENIED", () => build({ kind: "permission_denied", message: "no access" })],
  [
    "pending → failed RETRIES_EXHAUSTED",
    () => {
      const queue = new QueueHarness();
      queue.submit(2);
      while (queue.stateOf(2) === "pending") {
        queue.buildEnds(2, { kind: "infrastructure_error", message: "bad gateway" });
        queue.passesTime(15);
      }
      return queue;
    },
  ],
  [
    "pending → failed TESTS_CANCELLED",
    () => {
      const queue = new QueueHarness();
      queue.submit(2);
      while (queue.stateOf(2) !== "failed") {
        queue.built(2);
        queue.checks(2, [check("build", "cancelled")]);
        queue.passesTime(1);
      }
      return queue;
    },
  ],
  [
    "pending → failed REQUIRED_CHECK_MISSING",
    () => {
      const queue = new QueueHarness({ batch: true, batchingMinSize: 2 });
      for (const pr of [1, 2]) queue.submit(pr);
      queue.built(2);
      return queue.misses(2);
    },
  ],
  [
    "testing → failed REQUIRED_CHECK_MISSING",
    () => {
      const queue = new QueueHarness();
      queue.submit(2);
      queue.built(2);
      return queue.misses(2);
    },
  ],
  [
    "pending → failed MERGE_REFUSED",
    does(direct, (queue) => queue.mergeStops({ kind: "refused", message: "" })),
  ],
  ["pending → failed HEAD_CHANGED", does(direct, (queue) => queue.mergeStops({ kind: "head_changed" }))],
  ["pending → merged DIRECT_MERGED", does(direct, (queue) => queue.merges())],
  ["pending → merged TREE_MISMATCH", does(direct, (queue) => queue.mergeStops(mismatch))],
  ["testing → tests_passed TESTS_PASSED", () => behind("tests_passed")],
  [
    "testing → tests_passed SUCCESSOR_PASSED",
    () => {
      const queue = new QueueHarness({ concurrency: 2, canOptimisticallyMerge: true });
      queue.submit(2);
      queue.submit(3);
      queue.built(2, 3);
      queue.passes(3);
      return queue;
    },
  ],
  [
    "testing → tests_passed IMPLIED_BY_BISECTION",
    does(
      () => bisected(),
      (queue) => round(queue, "success"),
    ),
  ],
  ["testing → pending_failure CHECKS_FAILED", () => behind("pending_failure")],
  [
    "testing → pending_failure TESTING_TIMEOUT",
    does(
      () => behind("testing"),
      (queue) => queue.passesTime(60),
    ),
  ],
  [
    "testing → pending INTERRUPTED_BY_URGENT",
    () => {
      const queue = new QueueHarness();
      queue.submit(2);
      queue.built(2);
      queue.submit(3, {}, 0);
      return queue;
    },
  ],
  [
    "tests_passed → pending INTERRUPTED_BY_URGENT",
    () => {
      const queue = new QueueHarness();
      queue.freezes(queue.now + 3_600_000);
      queue.submit(2);
      queue.built(2);
      queue.passes(2);
      queue.submit(3, {}, 0);
      return queue;
    },
  ],
  [
    "testing → pending BISECTION_REQUIRED",
    () => {
      const queue = bisected(3, 2);
      round(queue, "failure");
      return queue;
    },
  ],
  [
    "testing → pending INFRASTRUCTURE_ERROR",
    does(
      () => behind("testing"),
      (queue) => queue.checks(2, [check("build", "cancelled")]),
    ),
  ],
  ["pending_failure → pending BISECTION_REQUIRED", () => bisected()],
  [
    "pending_failure → pending FAILED_ONCE",
    () => {
      const queue = new QueueHarness({ policy: "adaptive" });
      queue.submit(2);
      queue.built(2);
      queue.fails(2);
      return queue;
    },
  ],
  [
    "pending_failure → pending NOTHING_PASSES",
    () => {
      const queue = new QueueHarness({ policy: "adaptive" });
      queue.base = "failure";
      for (const pr of [2, 4, 5]) queue.submit(pr);
      for (const pr of [2, 4, 5, 2]) {
        queue.built(pr);
        queue.passesTime(1);
        queue.fails(pr);
      }
      return queue;
    },
  ],
  [
    "pending_failure → pending SUCCESSOR_PASSED",
    does(
      () => waitingForSuccessor({}),
      (queue) => queue.passes(3),
    ),
  ],
  [
    "pending_failure → tests_passed SUCCESSOR_PASSED",
    does(
      () => waitingForSuccessor({ canOptimisticallyMerge: true }),
      (queue) => queue.passes(3),
    ),
  ],
  [
    "pending_failure → failed CHECKS_FAILED",
    does(
      () => waitingForSuccessor({}),
      (queue) => queue.fails(3),
    ),
  ],
  [
    "pending_failure → failed TESTING_TIMEOUT",
    () => {
      const queue = new QueueHarness({ testingTimeoutMinutes: 60 });
      queue.submit(2);
      queue.built(2);
      queue.passesTime(60);
      return queue;
    },
  ],
  ["tests_passed → merged MERGED_IN_ORDER", does(tested, (queue) => queue.merges())],
  ["tests_passed → merged TREE_MISMATCH", does(tested, (queue) => queue.mergeStops(mismatch))],
  [
    "tests_passed → failed MERGE_REFUSED",
    does(tested, (queue) => queue.mergeStops({ kind: "refused", message: "rules" })),
  ],
  ["tests_passed → failed HEAD_CHANGED", does(tested, (queue) => queue.mergeStops({ kind: "head_changed" }))],
];
