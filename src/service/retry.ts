import type { CodeHostFailure } from "../ports/code-host.ts";

export function isCodeHostFailure(error: unknown): error is CodeHostFailure {
  return error instanceof Error && error.name === "CodeHostError";
}

/** How long to wait before trying something again: what the code host asks for, else 1 s, 2 s, 4 s … 1 min. */
export function retryDelayMs(error: unknown, attempts: number): number {
  if (isCodeHostFailure(error) && error.retryAfterMs !== null) return error.retryAfterMs;
  return Math.min(1_000 * 2 ** attempts, 60_000);
}

/** The error as one line for a row or a reason. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
