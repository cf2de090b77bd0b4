import { isBaseTestFirst } from "../base-test.ts";
import type { QueueState } from "../queue.ts";
import { effective } from "../settings.ts";

/**
 * The maximum number of tests in flight by the known limit of CI: one more than CI runs at once, so that CI never waits for work.
 * Infinite with the policy `fixed`, and while no limit is known.
 */
export function mostServed({ settings, history }: Pick<QueueState, "settings" | "history">): number {
  const { limit } = history.capacity;
  return settings.policy === "fixed" || limit === null ? Number.POSITIVE_INFINITY : limit + 1;
}

/** The maximum number of tests of entries in flight, by the settings and by the known limit of CI. */
export function usableSlots(state: Pick<QueueState, "settings" | "history">): number {
  return Math.min(effective(state.settings, "concurrency"), mostServed(state));
}

export function freeSlots(state: QueueState): number {
  if (testsOneAtATime(state)) return serialSlots(state);
  const { main, bisection } = state.runIndex.active;
  return Math.min(effective(state.settings, "concurrency") - main, mostServed(state) - main - bisection);
}

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
 * only a test that runs alone finishes. While everything fails, one test is enough to find out whether that is over. A test of the base comes
 * first then.
 */
export function testsOneAtATime(state: QueueState): boolean {
  return state.interrupted.size > 0 || state.history.redSince !== null || isBaseTestFirst(state);
}

/** The number of free slots while the queue runs one test at a time. */
export function serialSlots(state: QueueState): number {
  if (state.baseTest !== null || isBaseTestFirst(state)) return 0;
  const { main, bisection } = state.runIndex.active;
  return main + bisection === 0 ? 1 : 0;
}

/** The number of free slots for a test of the base, of either kind; negative if other tests need its slot. */
export function slotsForBaseTest(state: QueueState): number {
  const { settings, interrupted, history, runIndex } = state;
  const active = runIndex.active.main + runIndex.active.bisection;
  if (interrupted.size > 0 || history.redSince !== null) return 1 - active;
  const all = effective(settings, "concurrency") + effective(settings, "bisectionConcurrency");
  return Math.min(all, mostServed(state)) - active;
}
