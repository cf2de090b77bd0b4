import type { QueueState } from "../../model/queue.ts";
import { isActive, type TestRun } from "../../model/test-run.ts";

/** The runs whose trees contain a run's members, in the order of the line. */
export function* successorsOf(state: QueueState, run: TestRun): Generator<TestRun, undefined> {
  const [member] = run.members;
  if (member === undefined) return;
  let last: TestRun | null = null;
  for (const { run: other } of state.line.behind(member)) {
    // The members of a run stand together.
    if (other === null || other === last || !other.ahead.includes(member)) continue;
    last = other;
    yield other;
  }
}

/** The first successors of a failed run, as many as `pendingFailureDepth` says, that have not come to their end. */
export function undecidedSuccessors(state: QueueState, run: TestRun): TestRun[] {
  const depth = state.settings.pendingFailureDepth;
  return depth === 0 ? [] : [...successorsOf(state, run).take(depth)].filter(isActive);
}
