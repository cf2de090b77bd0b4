import type { QueueState } from "./queue.ts";

/** After this number of cancelled test runs in a row, an entry leaves the queue. */
export const maxCancelledRuns = 3;
/** After this number in a row for one entry, tests run one at a time until it is decided, because they may cancel each other. */
const serialFrom = 2;

/** Whether the entry's tests were cancelled so often in a row that the queue runs one test at a time. */
export function isInterrupted({ cancelledRuns = 0 }: { readonly cancelledRuns?: number }): boolean {
  return cancelledRuns >= serialFrom;
}

/**
 * Whether the queue runs one test at a time. If the workflows of all branches are in one concurrency group, they cancel each other, and
 * only a test that runs alone finishes.
 */
export function testsOneAtATime(state: Pick<QueueState, "interrupted">): boolean {
  return state.interrupted.size > 0;
}

/** The number of free slots while the queue runs one test at a time. */
export function serialSlots({ runIndex: { active } }: Pick<QueueState, "runIndex">): number {
  return active.main + active.bisection === 0 ? 1 : 0;
}
