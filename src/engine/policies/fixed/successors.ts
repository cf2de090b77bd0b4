import type { QueueState } from "../../model/queue.ts";
import { isActive, type TestRun } from "../../model/test-run.ts";

/** Yields the runs whose trees contain the members of a run ahead, in the order of the line. */
export function* successorsOf(state: QueueState, run: TestRun): Generator<TestRun, undefined> {
  const [member] = run.members;
  let last: TestRun | null = null;
  for (const { run: other } of state.line.behind(member)) {
    // The members of a run are adjacent in the line.
    if (other === null || other === last || !other.ahead.includes(member)) continue;
    last = other;
    yield other;
  }
}

/** Returns the active runs among the first `pendingFailureDepth` successors of a failed run. */
export function undecidedSuccessors(state: QueueState, run: TestRun): TestRun[] {
  const depth = state.settings.pendingFailureDepth;
  return depth === 0 ? [] : [...successorsOf(state, run).take(depth)].filter(isActive);
}
