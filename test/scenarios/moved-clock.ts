import { setTimeout as sleep } from "node:timers/promises";

/** A clock that a test moves, so that waits of the service end at once. */
export class MovedClock {
  #aheadMs = 0;

  readonly now = (): number => Date.now() + this.#aheadMs;

  pass(ms: number): void {
    this.#aheadMs += ms;
  }

  /**
   * Lets a minute pass again and again while something is waited for. The pauses become longer: in one of them, work can end before its
   * lease does, also on a busy machine.
   */
  async passDuring<T>(waiting: Promise<T>): Promise<T> {
    const end = new AbortController();
    const passing = this.#passUntil(end.signal);
    try {
      return await waiting;
    } finally {
      end.abort();
      await passing;
    }
  }

  async #passUntil(end: AbortSignal): Promise<void> {
    for (let pauseMs = 500; ; pauseMs *= 1.5) {
      await sleep(pauseMs, null, { signal: end }).catch(() => {});
      if (end.aborted) return;
      this.pass(60_000);
    }
  }
}
