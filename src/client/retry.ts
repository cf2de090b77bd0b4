import { ApiError, isTransient } from "./errors.ts";

export interface RetryOptions {
  /** How often to try in all; 1 = no retries. */
  readonly attempts: number;
  /** Before the second attempt; it doubles from there. Default: 500. */
  readonly firstDelayMs?: number;
  /** Who is asked to wait for longer gives up instead. Default: 60,000. */
  readonly maxDelayMs?: number;
  readonly sleep?: (ms: number) => Promise<void>;
  /** A number in [0, 1) on each call. */
  readonly random?: () => number;
}

/** Repeats what failed for a passing reason, waiting as long as the service asks, else for a growing, jittered while. */
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

/** Between half and all of 0.5 s, 1 s, 2 s …, so that clients which failed together do not come back together. */
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
