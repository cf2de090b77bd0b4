import type { FastifyRateLimitStore } from "@fastify/rate-limit";

type Answer = Parameters<FastifyRateLimitStore["incr"]>[1];

/** The maximum number of keys that are counted at once. The oldest is forgotten first. */
const mostKeys = 5_000;

/**
 * Counts in this process alone. The window of a key begins with its first request. Measured with a clock that cannot be set: a wall clock
 * that is set back by an hour would refuse requests for an hour.
 */
export class TimeWindows implements FastifyRateLimitStore {
  readonly #windows = new Map<string, { readonly endsAt: number; count: number }>();

  incr(key: string, answer: Answer, windowMs: number): void {
    const now = performance.now();
    let window = this.#windows.get(key);
    if (!window || window.endsAt <= now) {
      window = { endsAt: now + windowMs, count: 0 };
      this.#windows.delete(key);
      this.#windows.set(key, window);
      const [oldest] = this.#windows.keys();
      if (this.#windows.size > mostKeys && oldest !== undefined) this.#windows.delete(oldest);
    }
    window.count += 1;
    answer(null, { current: window.count, ttl: window.endsAt - now });
  }

  child(): FastifyRateLimitStore {
    return new TimeWindows();
  }
}
