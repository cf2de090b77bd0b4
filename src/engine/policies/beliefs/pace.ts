import { medianOf } from "../../model/capacity/history.ts";
import type { QueueState } from "../../model/queue.ts";

/** The pace as a share of the median test time. */
const share = 0.12;
/** A lower bound, for tests that take no time. Without it, a test that fails because of known flakes is repeated without end. */
const leastMs = 1_000;
/** The pace while the test time is unknown: the one for tests of 25 minutes. */
const unknownMs = 3 * 60_000;

/**
 * Returns the minimum time between two blocks, and from the last discarded hedge to the next one, in milliseconds. It scales with the test
 * time.
 */
export function paceMs({ history }: QueueState): number {
  const testMs = medianOf(history.testMs);
  return testMs === null ? unknownMs : Math.max(leastMs, Math.round(share * testMs));
}
