import type { QueueState } from "./queue.ts";

/** So many cancellations in a row end an entry. */
export const maxCancelledRuns = 3;
/** After so many in a row for one entry, tests run one at a time until it is decided: they may cancel each other. */
const serialFrom = 2;

/** Whether the entry's tests were cancelled so often in a row that it has the queue test one at a time. */
export function isInterrupted({ cancelledRuns = 0 }: { readonly cancelledRuns?: number }): boolean {
  return cancelledRuns >= serialFrom;
}

/**
 * Whether one test runs at a time. Workflows of all branches in one concurrency group cancel each other, and then only a test that
 * runs alone comes to an end.
 */
export function testsOneAtATime(state: Pick<QueueState, "interrupted">): boolean {
  return state.interrupted.size > 0;
}

/** The slots that are free while one test runs at a time. */
export function serialSlots({ runIndex: { active } }: Pick<QueueState, "runIndex">): number {
  return active.main + active.bisection === 0 ? 1 : 0;
}
