import type { QueueState } from "../queue.ts";
import { isActive, type TestRun } from "../test-run.ts";
import type { Try } from "./try.ts";

/** Returns the try that the run belongs to. */
export function tryOfRun({ tries }: Pick<QueueState, "tries">, runId: string): Try | undefined {
  if (tries.size === 0) return undefined;
  for (const one of tries.values()) if (one.run?.id === runId) return one;
  return undefined;
}

type Tested = Pick<QueueState, "runs" | "tries" | "baseTest">;

/** Finds a run of an entry, of a try or of the base by its id. */
export function findRun(state: Tested, runId: string): TestRun | undefined {
  const { runs, baseTest } = state;
  return runs.get(runId) ?? tryOfRun(state, runId)?.run ?? (baseTest?.id === runId ? baseTest : undefined);
}

/** The runs of entries, of tries and of the base. */
export function* allRuns({ runs, tries, baseTest }: Tested): Generator<TestRun> {
  yield* runs.values();
  for (const { run } of tries.values()) if (run) yield run;
  if (baseTest) yield baseTest;
}

/** The number of tries that occupy a slot. */
export function countActiveTries({ tries }: Pick<QueueState, "tries">): number {
  let count = 0;
  for (const { run } of tries.values()) if (run && isActive(run)) count += 1;
  return count;
}
