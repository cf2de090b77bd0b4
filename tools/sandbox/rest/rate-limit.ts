/**
 * The caller's rate limit, as shown in responses. With the default size it is never used up, because exceeded limits are injected as
 * faults.
 */
export interface RateLimit {
  limit: number;
  used: number;
  remaining: number;
  /** Seconds since 1970. */
  reset: number;
}

const WINDOW_SECONDS = 3600;

/** Counts each caller's requests. */
export class RateLimiter {
  readonly #limit: number;
  readonly #used = new Map<string, number>();

  /** @param limit calls per hour */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Counts one request, unless it is free, and returns the caller's rate limit. */
  spend(caller: string, now: Date, cost: 0 | 1): RateLimit {
    const used = (this.#used.get(caller) ?? 0) + cost;
    this.#used.set(caller, used);
    const seconds = Math.floor(now.getTime() / 1000);
    const limit = this.#limit;
    return { limit, used, remaining: Math.max(limit - used, 0), reset: seconds + WINDOW_SECONDS };
  }
}

export const rateLimitHeaders = ({ limit, used, remaining, reset }: RateLimit): Record<string, string> => ({
  "x-ratelimit-limit": String(limit),
  "x-ratelimit-used": String(used),
  "x-ratelimit-remaining": String(remaining),
  "x-ratelimit-reset": String(reset),
  "x-ratelimit-resource": "core",
});
