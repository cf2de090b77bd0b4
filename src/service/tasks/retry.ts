import type { CodeHostFailure } from "../../ports/code-host/code-host-failure.ts";

export function isCodeHostFailure(error: unknown): error is CodeHostFailure {
  return error instanceof Error && error.name === "CodeHostError";
}

/**
 * Attempts after which a denial or an absence is believed: some three minutes with the delays of
 * `retryDelayMs`. During incidents, GitHub answers 401, 403 and 404 for things that exist and are permitted.
 */
export const lastingTries = 8;

/**
 * Attempts after which even a temporary refusal is believed: an hour. A longer wait would hold up the whole
 * queue.
 */
const busyTries = 120;

/**
 * Whether the code host has refused for so long that the refusal is believed. An outage is never a refusal.
 */
export function isLasting({ kind }: CodeHostFailure, attempts: number): boolean {
  if (kind === "unavailable" || kind === "rate_limited") return false;
  return attempts >= (kind === "busy" ? busyTries : lastingTries);
}

/**
 * Whether something has been absent for about a day, as after the repository was deleted or the App removed.
 */
export function isGone(error: unknown, attempts: number): boolean {
  return isCodeHostFailure(error) && error.kind === "not_found" && attempts >= lastingTries + 24;
}

/**
 * The delay before the next attempt: what the code host requests, else 1 s, 2 s, 4 s … 1 min. At most half a
 * minute while the code host is busy; up to an hour for a lasting refusal.
 */
export function retryDelayMs(error: unknown, attempts: number): number {
  if (isCodeHostFailure(error) && error.retryAfterMs !== null) return error.retryAfterMs;
  if (isCodeHostFailure(error) && error.kind === "busy") return Math.min(1_000 * 2 ** attempts, 30_000);
  const longest = isCodeHostFailure(error) && isLasting(error, attempts) ? 3_600_000 : 60_000;
  return Math.min(1_000 * 2 ** attempts, longest);
}

/** The error message, for a row or a reason. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
