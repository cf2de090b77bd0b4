import { setImmediate as nextRound } from "node:timers/promises";

/**
 * A tenth of the longest permitted blocking time. The current statement and the processing of its rows can
 * add to it.
 */
const longestMs = 5;

/** Measures how long statements have blocked the event loop in its current turn. */
export class LoopHold {
  /** When the first statement of the current turn began; null when there was none. */
  #since: number | null = null;

  /** Whether the event loop must complete a turn before the next statement. */
  isLong(): boolean {
    const now = performance.now();
    if (this.#since !== null) return now - this.#since > longestMs;
    this.#since = now;
    setImmediate(() => {
      this.#since = null;
    });
    return false;
  }

  /** Resolves in a new turn of the event loop. The caller must run its statement at once. */
  async pause(): Promise<void> {
    do await nextRound();
    while (this.isLong());
  }
}
