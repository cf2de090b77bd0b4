/**
 * What the sandbox says of the caller's budget. It never runs out: a limit is a fault to inject, not a
 * property of the world.
 */
export interface RateLimit {
  limit: number;
  used: number;
  remaining: number;
  /** Seconds since 1970. */
  reset: number;
}

const LIMIT = 1_000_000;
const WINDOW_SECONDS = 3600;

/** Counts each caller's requests. */
export class RateLimiter {
  readonly #used = new Map<string, number>();

  /** Counts one request, unless it is free, and answers where the caller stands. */
  spend(caller: string, now: Date, cost: 0 | 1): RateLimit {
    const used = (this.#used.get(caller) ?? 0) + cost;
    this.#used.set(caller, used);
    const seconds = Math.floor(now.getTime() / 1000);
    return { limit: LIMIT, used, remaining: Math.max(LIMIT - used, 0), reset: seconds + WINDOW_SECONDS };
  }
}

export const rateLimitHeaders = ({ limit, used, remaining, reset }: RateLimit): Record<string, string> => ({
  "x-ratelimit-limit": String(limit),
  "x-ratelimit-used": String(used),
  "x-ratelimit-remaining": String(remaining),
  "x-ratelimit-reset": String(reset),
  "x-ratelimit-resource": "core",
});
