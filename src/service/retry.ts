import type { CodeHostFailure } from "../ports/code-host-failure.ts";

export function isCodeHostFailure(error: unknown): error is CodeHostFailure {
  return error instanceof Error && error.name === "CodeHostError";
}

/**
 * Tries after which a denial or an absence is believed, with the pauses of `retryDelayMs` after some three minutes. Incidents of
 * GitHub answer 401, 403 and 404 for things that are there and allowed.
 */
export const lastingTries = 8;

/** Tries after which even a refusal for the moment is believed: an hour. What lasts so long holds up the whole queue. */
const busyTries = 120;

/** Whether the code host has answered for so long, and not in our favour, that it is to be believed. An outage never is. */
export function isLasting({ kind }: CodeHostFailure, attempts: number): boolean {
  if (kind === "unavailable" || kind === "rate_limited") return false;
  return attempts >= (kind === "busy" ? busyTries : lastingTries);
}

/** Whether something has not been there for about a day, as when the repository was deleted or the App removed. */
export function isGone(error: unknown, attempts: number): boolean {
  return isCodeHostFailure(error) && error.kind === "not_found" && attempts >= lastingTries + 24;
}

/**
 * How long to wait before trying something again: what the code host asks for, else 1 s, 2 s, 4 s … 1 min. Half a minute at most
 * while the code host is busy; up to an hour for what is refused for long.
 */
export function retryDelayMs(error: unknown, attempts: number): number {
  if (isCodeHostFailure(error) && error.retryAfterMs !== null) return error.retryAfterMs;
  if (isCodeHostFailure(error) && error.kind === "busy") return Math.min(1_000 * 2 ** attempts, 30_000);
  const longest = isCodeHostFailure(error) && isLasting(error, attempts) ? 3_600_000 : 60_000;
  return Math.min(1_000 * 2 ** attempts, longest);
}

/** The error as one line for a row or a reason. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
