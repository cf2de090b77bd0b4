import { serialSlots, testsOneAtATime } from "./interrupted.ts";
import type { QueueState } from "./queue.ts";
import { effective } from "./settings.ts";

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
