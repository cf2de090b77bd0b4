import { setImmediate as nextRound } from "node:timers/promises";

/** A tenth of the longest hold that is allowed: the statement under way, and the work on its rows, come on top. */
const longestMs = 5;

/** Measures how long statements have held the event loop since it last went round. */
export class LoopHold {
  /** When the first statement since the event loop last went round began; null = there was none. */
  #since: number | null = null;

  /** Whether to let the event loop go round before the next statement. */
  isLong(): boolean {
    const now = performance.now();
    if (this.#since !== null) return now - this.#since > longestMs;
    this.#since = now;
    setImmediate(() => {
      this.#since = null;
    });
    return false;
  }

  /** Resolves when the event loop has gone round, for a statement that follows at once. */
  async pause(): Promise<void> {
    do await nextRound();
    while (this.isLong());
  }
}
