import { medianOf } from "../../model/history.ts";
import type { QueueState } from "../../model/queue.ts";

/** As a share of the time that a test takes. */
const share = 0.12;
/** A lower bound for tests that take no time: without it, a test that fails because of known flakes is repeated without end. */
const leastMs = 1_000;
/** While that is not known: of tests of 25 minutes. */
const unknownMs = 3 * 60_000;

/** A short time on the scale of the queue's own tests, in milliseconds: between one block and the next, or one hedge and the next. */
export function paceMs({ history }: QueueState): number {
  const testMs = medianOf(history.testMs);
  return testMs === null ? unknownMs : Math.max(leastMs, Math.round(share * testMs));
}
