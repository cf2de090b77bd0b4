import type { CodeHostFailure } from "../ports/code-host.ts";

export function isCodeHostFailure(error: unknown): error is CodeHostFailure {
  return error instanceof Error && error.name === "CodeHostError";
}

/**
 * Tries after which a denial or an absence is believed, with the pauses of `retryDelayMs` after some three minutes. Incidents of
 * GitHub answer 401, 403 and 404 for things that are there and allowed.
 */
export const lastingTries = 8;

/** Whether the code host has answered for so long, and not in our favour, that it is to be believed. An outage never is. */
export function isLasting({ kind }: CodeHostFailure, attempts: number): boolean {
  return kind !== "unavailable" && kind !== "rate_limited" && attempts >= lastingTries;
}

/** Whether something has not been there for about a day, as when the repository was deleted or the App removed. */
export function isGone(error: unknown, attempts: number): boolean {
  return isCodeHostFailure(error) && error.kind === "not_found" && attempts >= lastingTries + 24;
}

/**
 * How long to wait before trying something again: what the code host asks for, else 1 s, 2 s, 4 s … 1 min; up to an hour for what
 * is refused for long.
 */
export function retryDelayMs(error: unknown, attempts: number): number {
  if (isCodeHostFailure(error) && error.retryAfterMs !== null) return error.retryAfterMs;
  const longest = isCodeHostFailure(error) && isLasting(error, attempts) ? 3_600_000 : 60_000;
  return Math.min(1_000 * 2 ** attempts, longest);
}

/** The error as one line for a row or a reason. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
