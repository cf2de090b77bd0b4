import type { Actor, Channel } from "./actor.ts";
import type { QueueState } from "./queue.ts";
import type { Reason } from "./reason.ts";
import { isActive, type TestRun } from "./test-run.ts";

/**
 * A pull request that is tested on the base by itself. It is no entry: nothing is stacked on it, and nothing that merges looks at it. Its
 * head is pinned: a push ends it.
 */
export interface Try {
  readonly pr: number;
  readonly headSha: string;
  readonly headRef: string;
  readonly baseBranch: string;
  readonly title: string;
  readonly url: string;
  readonly askedBy: Actor;
  readonly askedVia: Channel;
  readonly askedAt: number;
  /** null: it waits for a free slot. */
  readonly run: TestRun | null;
  /** How often its commit could not be made because of an outage. */
  readonly attempts: number;
  /** Not to be started before this time; null: as soon as a slot is free. */
  readonly retryAt: number | null;
}

/** How a try ended. `stopped`: it has no verdict. */
export type TryVerdict = "passed" | "failed" | "stopped";

/** What people are told of a try that has ended. */
export interface TryReport {
  readonly headSha: string;
  /** The commit of the base that it was tested on; null: its test commit was not made. */
  readonly baseSha: string | null;
  readonly verdict: TryVerdict;
  readonly reason: Reason;
}

/** The try whose run it is. */
export function tryOfRun({ tries }: Pick<QueueState, "tries">, runId: string): Try | undefined {
  if (tries.size === 0) return undefined;
  for (const one of tries.values()) if (one.run?.id === runId) return one;
  return undefined;
}

/** A run of an entry or of a try, by its id. */
export function findRun(state: Pick<QueueState, "runs" | "tries">, runId: string): TestRun | undefined {
  return state.runs.get(runId) ?? tryOfRun(state, runId)?.run ?? undefined;
}

/** The runs of entries and of tries. */
export function* allRuns({ runs, tries }: Pick<QueueState, "runs" | "tries">): Generator<TestRun> {
  yield* runs.values();
  for (const { run } of tries.values()) if (run) yield run;
}

/** How many tries occupy a slot. */
export function countActiveTries({ tries }: Pick<QueueState, "tries">): number {
  let count = 0;
  for (const { run } of tries.values()) if (run && isActive(run)) count += 1;
  return count;
}
