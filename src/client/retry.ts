import { ApiError, isTransient } from "./errors.ts";

export interface RetryOptions {
  /** Maximum number of attempts; 1 = no retries. */
  readonly attempts: number;
  /** The delay before the second attempt, in milliseconds. It doubles with each further attempt. Default: 500. */
  readonly firstDelayMs?: number;
  /** If the service asks to wait for longer, the client gives up. In milliseconds. Default: 60,000. */
  readonly maxDelayMs?: number;
  readonly sleep?: (ms: number) => Promise<void>;
  /** Returns a number in [0, 1) on each call. */
  readonly random?: () => number;
}

/** Retries after temporary failures. Waits as long as the service asks, else with a growing backoff with jitter. */
export async function withRetries<T>(attempt: () => Promise<T>, options: RetryOptions): Promise<T> {
  const { attempts, maxDelayMs = 60_000, sleep = sleepFor } = options;
  for (let failures = 1; ; failures++) {
    try {
      return await attempt();
    } catch (error) {
      if (!isTransient(error) || failures >= attempts) throw error;
      const asked = error instanceof ApiError ? error.retryAfterMs : null;
      if (asked !== null && asked > maxDelayMs) throw error;
      await sleep(asked ?? backoffMs(failures, maxDelayMs, options));
    }
  }
}

/** Returns between half and all of 0.5 s, 1 s, 2 s …, so that clients that failed together do not retry together. */
function backoffMs(
  failures: number,
  maxDelayMs: number,
  { firstDelayMs = 500, random = Math.random }: RetryOptions,
): number {
  const delay = Math.min(firstDelayMs * 2 ** (failures - 1), maxDelayMs);
  return Math.round(delay * (0.5 + random() / 2));
}

function sleepFor(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
