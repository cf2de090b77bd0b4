import { isBaseTestUrgent } from "../base-test.ts";
import type { QueueState } from "../queue.ts";
import { effective, usesLanes } from "../settings.ts";

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
  const forBase = slotsKeptForBase(state);
  return Math.min(
    effective(state.settings, "concurrency") - main - forBase,
    mostServed(state) - main - bisection - forBase,
  );
}

/** The number of slots that entries may not take, because a test of the base needs one at once. */
export function slotsKeptForBase(state: QueueState): number {
  return isBaseTestUrgent(state) ? 1 : 0;
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
 * only a test that runs alone finishes. While everything fails, one test is enough to find out whether that is over.
 */
export function testsOneAtATime(state: QueueState): boolean {
  return state.interrupted.size > 0 || state.history.redSince !== null;
}

/** The number of free slots for tests of entries while the queue runs one test at a time. */
export function serialSlots(state: QueueState): number {
  const { main, bisection } = state.runIndex.active;
  const isFree = main + bisection === 0 && mostWhileSerial(state) > slotsKeptForBase(state);
  return isFree ? 1 : 0;
}

/** The number of free slots for a test of the base, of either kind; negative if other tests need its slot. */
export function slotsForBaseTest(state: QueueState): number {
  const { settings, runIndex } = state;
  const active = runIndex.active.main + runIndex.active.bisection;
  if (testsOneAtATime(state)) return mostWhileSerial(state) - active;
  const [main, bisection] = [effective(settings, "concurrency"), effective(settings, "bisectionConcurrency")];
  // In one line, other tests wait for those of a bisection.
  const most = usesLanes(settings) ? main + bisection : Math.max(main, bisection);
  return Math.min(most, mostServed(state)) - active;
}

/** While everything fails, the base is tested beside an entry, if there are two slots. */
function mostWhileSerial(state: QueueState): number {
  return state.interrupted.size === 0 && usableSlots(state) >= 2 ? 2 : 1;
}
