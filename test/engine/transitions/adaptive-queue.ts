import { TargetSet } from "../../../src/engine/collections/target-set.ts";
import type { QueueSettings } from "../../../src/engine/model/settings.ts";
import type { TestRun } from "../../../src/engine/model/test-run.ts";
import { QueueHarness } from "../queue-harness.ts";

/** A queue with the policy `beliefs` in `parallel` mode. All given pull requests overlap, in this order. */
export function lane(settings: Partial<QueueSettings>, ...prs: number[]): QueueHarness {
  return adaptive({ mode: "parallel", testingTimeoutMinutes: 60, ...settings }, prs);
}

/** A queue with the policy `beliefs` in `single` mode and the given pull requests, in this order. */
export function line(settings: Partial<QueueSettings>, ...prs: number[]): QueueHarness {
  return adaptive({ mode: "single", ...settings }, prs);
}

function adaptive(settings: Partial<QueueSettings>, prs: readonly number[]): QueueHarness {
  const queue = new QueueHarness({ policy: "beliefs", ...settings });
  queue.targets = () => TargetSet.of([1]);
  for (const pr of prs) queue.submit(pr);
  return queue;
}

/** The last run of the given members on top of the given pull requests. With this policy an entry may have several runs. */
export function runOf(queue: QueueHarness, members: readonly number[], ahead: readonly number[]): TestRun {
  const found = [...queue.state.runs.values()].findLast(
    (run) => run.members.join() === members.join() && run.ahead.join() === ahead.join(),
  );
  if (!found) throw new Error(`there is no run of ${members.join()} on ${ahead.join()}`);
  return found;
}

/** #1 failed and is a suspect. #2 is under test without #1, while its run on top of #1 is being built. */
export function testedWithoutSuspect(): QueueHarness {
  const queue = lane({ concurrency: 2 }, 1, 2);
  queue.built(1);
  queue.fails(1);
  queue.runBuilt(runOf(queue, [2], []));
  return queue;
}
