import { type QueueState, runOf } from "./queue.ts";
import { isActive, type TestRun } from "./test-run.ts";

/** The runs whose trees contain a run's members, in the order of the line. */
export function successorsOf(state: QueueState, run: TestRun): TestRun[] {
  const [member] = run.members;
  const found = new Set<TestRun>();
  for (const pr of state.line) {
    const entry = state.entries.get(pr);
    const other = entry && runOf(state, entry);
    if (other && member !== undefined && other.ahead.includes(member)) found.add(other);
  }
  return [...found];
}

/** The first successors of a failed run, as many as `pendingFailureDepth` says, that have not come to their end. */
export function undecidedSuccessors(state: QueueState, run: TestRun): TestRun[] {
  const depth = state.settings.pendingFailureDepth;
  return depth === 0 ? [] : successorsOf(state, run).slice(0, depth).filter(isActive);
}
