import { serialSlots, testsOneAtATime } from "./interrupted.ts";
import type { QueueState } from "./queue.ts";
import { effective } from "./settings.ts";

/** How many tests may be under way at once: one more than CI serves, so that it never waits for work. */
export function mostServed({ settings, history }: Pick<QueueState, "settings" | "history">): number {
  const { limit } = history.capacity;
  return settings.policy === "fixed" || limit === null ? Number.POSITIVE_INFINITY : limit + 1;
}

/** How many tests of entries may be under way at once, by the settings and by what CI serves. */
export function usableSlots(state: Pick<QueueState, "settings" | "history">): number {
  return Math.min(effective(state.settings, "concurrency"), mostServed(state));
}

export function freeSlots(state: QueueState): number {
  if (testsOneAtATime(state)) return serialSlots(state);
  const { main, bisection } = state.runIndex.active;
  return Math.min(effective(state.settings, "concurrency") - main, mostServed(state) - main - bisection);
}
