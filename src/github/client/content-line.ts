import type { Leave } from "./content-budget.ts";

/** Bounds how far a content can fall back whose turn was used by another, such as a merge. */
const maxWaitMs = 300_000;

/**
 * Tells refused contents when to come again: one after the other, at the pace of the budget. If all of them came when the next one
 * is permitted, all but one would come in vain.
 */
export class ContentLine {
  #nextAt = 0;
  #refused = { until: 0, everyMs: 0 };

  /** Returns the last refusal while it is valid, so that the budget need not be asked; null = ask it. */
  refusal(now: number): Leave | null {
    const waitMs = this.#refused.until - now;
    return waitMs > 0 ? { waitMs, everyMs: this.#refused.everyMs } : null;
  }

  /** Returns the milliseconds after which to ask again. */
  join({ waitMs, everyMs }: Leave, now: number): number {
    this.#refused = { until: now + waitMs, everyMs };
    const at = Math.min(Math.max(now + waitMs, this.#nextAt), now + maxWaitMs);
    this.#nextAt = at + everyMs;
    return Math.ceil(at - now);
  }
}
