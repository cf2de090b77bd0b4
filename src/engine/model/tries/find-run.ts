import type { QueueState } from "../queue.ts";
import { isActive, type TestRun } from "../test-run.ts";
import type { Try } from "./try.ts";

/** Returns the try that the run belongs to. */
export function tryOfRun({ tries }: Pick<QueueState, "tries">, runId: string): Try | undefined {
  if (tries.size === 0) return undefined;
  for (const one of tries.values()) if (one.run?.id === runId) return one;
  return undefined;
}

/** Finds a run of an entry or of a try by its id. */
export function findRun(state: Pick<QueueState, "runs" | "tries">, runId: string): TestRun | undefined {
  return state.runs.get(runId) ?? tryOfRun(state, runId)?.run ?? undefined;
}

/** The runs of entries and of tries. */
export function* allRuns({ runs, tries }: Pick<QueueState, "runs" | "tries">): Generator<TestRun> {
  yield* runs.values();
  for (const { run } of tries.values()) if (run) yield run;
}

/** The number of tries that occupy a slot. */
export function countActiveTries({ tries }: Pick<QueueState, "tries">): number {
  let count = 0;
  for (const { run } of tries.values()) if (run && isActive(run)) count += 1;
  return count;
}
