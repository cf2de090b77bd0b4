import type { Leave } from "./content-budget.ts";

/** Bounds how far a content can fall back whose turn was used by another, such as a merge. */
const maxWaitMs = 300_000;
const maxPlaces = 10_000;

/**
 * Tells refused contents when to come again: one after the other, at the pace of the budget. If all of them came when the next one
 * is permitted, all but one would come in vain.
 */
export class ContentLine {
  #nextAt = 0;
  #refused = { until: 0, everyMs: 0 };
  /** When the turn of each waiting content comes, the oldest first. */
  readonly #turns = new Map<string, number>();

  /** Returns the last refusal while it is valid, so that the budget need not be asked; null = ask it. */
  refusal(now: number): Leave | null {
    const waitMs = this.#refused.until - now;
    return waitMs > 0 ? { waitMs, everyMs: this.#refused.everyMs } : null;
  }

  /**
   * Returns the milliseconds after which to ask again. A content that asks before its turn, because it has changed, keeps its place.
   *
   * @param content names it
   */
  join(content: string, { waitMs, everyMs }: Leave, now: number): number {
    this.#refused = { until: now + waitMs, everyMs };
    const turn = this.#turns.get(content) ?? 0;
    if (turn > now) return Math.ceil(Math.max(turn - now, waitMs));
    const at = Math.min(Math.max(now + waitMs, this.#nextAt), now + maxWaitMs);
    this.#nextAt = at + everyMs;
    this.leave(content);
    this.#turns.set(content, at);
    const [oldest] = this.#turns.size > maxPlaces ? this.#turns.keys() : [];
    if (oldest !== undefined) this.#turns.delete(oldest);
    return Math.ceil(at - now);
  }

  /** To be called when the content may be created. */
  leave(content: string): void {
    this.#turns.delete(content);
  }
}
