import { TargetSet } from "../../../src/engine/collections/target-set.ts";
import type { TestCommitOutcome } from "../../../src/engine/model/input.ts";
import type { QueueHarness } from "../queue-harness.ts";
import { lane, runOf, testedWithoutSuspect } from "./adaptive-queue.ts";
import { does, type Scenarios } from "./scenario.ts";

/** #2 passed without the suspect #1. #1 has passed since, so #2 is being built on top of it. */
function passedWithoutSuspect(): QueueHarness {
  const queue = testedWithoutSuspect();
  queue.passes(2);
  queue.built(1);
  queue.passes(1);
  return queue;
}

/** #2 failed by itself and is being rebuilt. Then the independent #4 passes, and the other run that contains #2 fails, too. */
function failsAgain(failsAtFirst: (queue: QueueHarness) => void): QueueHarness {
  const queue = lane({ concurrency: 4 }, 2, 3);
  queue.built(2);
  failsAtFirst(queue);
  const run = runOf(queue, [3], [2]);
  queue.runBuilt(run);
  queue.targets = () => TargetSet.of([404]);
  queue.submit(4);
  queue.built(4);
  queue.passes(4);
  queue.runEnds(run, "failure");
  return queue;
}

/** The run of #2 without the suspect fails, and then its test commit on top of the suspect cannot be built. */
function failsBeforeBuild(outcome: TestCommitOutcome): QueueHarness {
  const queue = testedWithoutSuspect();
  queue.configure({ status: "draining" });
  queue.fails(2);
  queue.buildOfRunEnds(runOf(queue, [2], [1]), outcome);
  return queue;
}

const outage = { kind: "infrastructure_error", message: "bad gateway" } as const;

/** The policy `beliefs` in `parallel` mode. */
export const adaptiveLanes: Scenarios = [
  [
    "pending → tests_passed SUCCESSOR_PASSED",
    () => {
      const queue = lane({ concurrency: 2, canOptimisticallyMerge: true }, 2, 3);
      queue.built(3);
      queue.passes(3);
      return queue;
    },
  ],
  ["pending → pending_failure CHECKS_FAILED", () => failsAgain((queue) => queue.fails(2))],
  ["pending → pending_failure TESTING_TIMEOUT", () => failsAgain((queue) => queue.passesTime(60))],
  [
    "testing → pending RETESTED",
    () => {
      const queue = lane({}, 1);
      queue.built(1);
      queue.fails(1);
      queue.submit(2);
      queue.built(2, 1);
      queue.configure({ status: "draining" });
      queue.passes(1);
      queue.merges();
      return queue;
    },
  ],
  ["tests_passed → pending OVERTAKEN", does(passedWithoutSuspect, (queue) => queue.merges())],
  [
    "tests_passed → pending RETESTED",
    does(passedWithoutSuspect, (queue) => queue.buildOfRunEnds(runOf(queue, [2], [1]), outage)),
  ],
  [
    "pending_failure → pending RETESTED",
    () => {
      const queue = lane({}, 2);
      queue.built(2);
      queue.fails(2);
      return queue;
    },
  ],
  ["pending_failure → pending CONFLICT_WITH_AHEAD", () => failsBeforeBuild({ kind: "conflict", pr: 2 })],
  ["pending_failure → pending INFRASTRUCTURE_ERROR", () => failsBeforeBuild(outage)],
];
