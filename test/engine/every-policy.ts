import type { QueueState } from "../../src/engine/model/queue.ts";
import type { QueueSettings } from "../../src/engine/model/settings.ts";
import type { Targets } from "../../src/engine/model/targets.ts";
import { isActive, type TestRun } from "../../src/engine/model/test-run.ts";
import { deserializeState, serializeState } from "../../src/engine/snapshot.ts";
import { QueueHarness } from "./queue-harness.ts";

/** A policy under which the scenarios of the lifecycle run. */
export interface PolicyUnderTest {
  readonly name: string;
  readonly settings: Partial<QueueSettings>;
  /** `line`: each test is on top of everything ahead of it. `blocks` and `lanes`: by beliefs. */
  readonly order: "line" | "blocks" | "lanes";
  /** Whether a failure with nothing undecided ahead evicts at once, even if a slot is free for another test. */
  readonly evictsAtOnce: boolean;
}

/** The default policy comes first. */
export const everyPolicy: readonly PolicyUnderTest[] = [
  { name: "adaptive", settings: { policy: "adaptive" }, order: "line", evictsAtOnce: false },
  {
    name: "adaptive in lanes",
    settings: { policy: "adaptive", mode: "parallel" },
    order: "line",
    evictsAtOnce: false,
  },
  {
    name: "beliefs in blocks",
    settings: { policy: "beliefs", mode: "single" },
    order: "blocks",
    evictsAtOnce: true,
  },
  {
    name: "beliefs in lanes",
    settings: { policy: "beliefs", mode: "parallel" },
    order: "lanes",
    evictsAtOnce: false,
  },
  { name: "fixed", settings: { policy: "fixed" }, order: "line", evictsAtOnce: true },
  {
    name: "fixed in lanes",
    settings: { policy: "fixed", mode: "parallel" },
    order: "line",
    evictsAtOnce: true,
  },
];

/** The policies whose tests are each on top of everything ahead. */
export const linePolicies = everyPolicy.filter(({ order }) => order === "line");

/** The policies of {@link linePolicies} that evict at the first failure. */
export const fixedPolicies = linePolicies.filter(({ evictsAtOnce }) => evictsAtOnce);

/** The policies that keep a waiting pull request free to be overtaken. In blocks without batches, it gets its place at once. */
export const orderingPolicies = everyPolicy.filter(({ order }) => order !== "blocks");

/** A queue with a policy. All its pull requests depend on each other. */
export function queueUnder(policy: PolicyUnderTest, settings: Partial<QueueSettings> = {}): QueueHarness {
  const queue = new QueueHarness({ ...policy.settings, ...settings });
  queue.targets = () => "ALL";
  return queue;
}

export function activeRuns({ state }: QueueHarness): TestRun[] {
  return [...state.runs.values()].filter(isActive);
}

/** The pull requests of the ordered merge, in order. */
export function mergeSteps({ state }: QueueHarness): number[] {
  return state.merge?.steps.map(({ pr }) => pr) ?? [];
}

/** The pull requests of one merge, if all of these may merge. By beliefs, each is merged by its own proof. */
export function mergedTogether({ order }: PolicyUnderTest, prs: readonly number[]): readonly number[] {
  return order === "line" ? prs : prs.slice(0, 1);
}

/** Carries out every merge that is ordered. Returns the pull requests in the order in which they merged. */
export function mergeAll(queue: QueueHarness): number[] {
  const merged: number[] = [];
  while (queue.state.merge) {
    merged.push(...mergeSteps(queue));
    queue.merges();
  }
  return merged;
}

/**
 * Builds and ends all tests, and merges what is ordered, until the queue is empty. A test fails if it contains one of the bad pull requests.
 * @throws when the queue is not empty after 30 minutes
 */
export function runCi(queue: QueueHarness, bad: readonly number[] = []): void {
  for (let minute = 0; queue.state.entries.size > 0; minute++) {
    if (minute === 30) throw new Error(`still queued: ${[...queue.state.entries.keys()].join()}`);
    for (const { id } of activeRuns(queue)) {
      const run = queue.state.runs.get(id);
      if (run?.state === "building") queue.runBuilt(run);
    }
    for (const { id } of activeRuns(queue)) {
      const run = queue.state.runs.get(id);
      if (!run || !isActive(run)) continue;
      const isBad = [...run.ahead, ...run.members].some((pr) => bad.includes(pr));
      queue.runEnds(run, isBad ? "failure" : "success");
    }
    mergeAll(queue);
    queue.passesTime(1);
  }
}

/** A queue in which #1, #2 and #3 are under test, each on top of those ahead. */
export function threeInLine(policy: PolicyUnderTest): QueueHarness {
  const queue = queueUnder(policy, { concurrency: 3, testingTimeoutMinutes: 60 });
  for (const pr of [1, 2, 3]) queue.submit(pr);
  queue.built(1, 2, 3);
  return queue;
}

/** The state as it is read from its snapshot, as after a restart. */
export function restored({ state, log }: QueueHarness): QueueState {
  const targets = log.flatMap(({ seq, data }): [number, Targets][] =>
    "targets" in data && data.targets ? [[seq, data.targets]] : [],
  );
  return deserializeState(serializeState(state), new Map(targets));
}
