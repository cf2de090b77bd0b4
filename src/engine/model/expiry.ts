import { isObstructed, type QueueState } from "./queue.ts";

/** How long after an obstacle the results are read that CI has reported during it, in milliseconds. */
const readingMs = 10 * 60_000;

/**
 * Returns when a test with this deadline times out, in milliseconds since the epoch. Null = not while an obstacle stops the queue: CI
 * may have reported results that cannot be read. Null also for a test without a deadline.
 */
export function expiryOf(state: QueueState, deadline: number | null): number | null {
  if (deadline === null || isObstructed(state)) return null;
  const { statusReason, statusSince } = state;
  return statusReason.code === "OBSTACLE_GONE" ? Math.max(deadline, statusSince + readingMs) : deadline;
}
