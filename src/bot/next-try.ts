import { ApiError, NetworkError } from "../client/client.ts";
import type { GivenUpCode } from "../ports/inbox.ts";
import { isCodeHostFailure } from "../service/retry.ts";
import { UnreadablePayload } from "./payload.ts";

export type NextTry =
  | { readonly kind: "again"; readonly inMs: number }
  | { readonly kind: "give_up"; readonly code: GivenUpCode };

/** A delivery that could not be handled. */
export interface FailedTry {
  readonly error: unknown;
  /** Since it came in. */
  readonly ageMs: number;
  /** How often it was tried before, and how often of these with an error that is nobody's absence. */
  readonly attempts: number;
  readonly faults: number;
}

const maxAbsenceMs = 24 * 60 * 60 * 1000;
/** Four minutes, with the pauses below: later commands on the pull request wait behind. */
const maxFaults = 10;
const longestPauseMs = 60_000;

/**
 * When to try again. While GitHub is absent, everything waits for it anyway: for a day. What is our own fault must not hold up
 * what comes after it, and what cannot be read will not be readable later.
 */
export function nextTry({ error, ageMs, attempts, faults }: FailedTry): NextTry {
  if (error instanceof UnreadablePayload) return { kind: "give_up", code: "PAYLOAD_UNREADABLE" };
  if (isAbsence(error)) {
    if (ageMs >= maxAbsenceMs) return { kind: "give_up", code: "CODE_HOST_ABSENT" };
    const asked = askedMs(error);
    // A limit says when to come back, and tells nothing of what comes then: the pause does not grow with it.
    return { kind: "again", inMs: isLimit(error) ? asked : Math.max(asked, pauseMs(attempts)) };
  }
  if (faults + 1 >= maxFaults)
    return { kind: "give_up", code: isDenial(error) ? "CODE_HOST_DENIED" : "NOT_HANDLED" };
  return { kind: "again", inMs: pauseMs(faults) };
}

/** Whether nobody answered, be it GitHub or the service that the queue is in. */
export function isAbsence(error: unknown): boolean {
  if (error instanceof NetworkError) return true;
  // 500 is a fault of the queue's service; what is before it says 502 and 504 for its absence.
  if (error instanceof ApiError) return [429, 502, 503, 504].includes(error.status);
  return isCodeHostFailure(error) && ["unavailable", "busy", "rate_limited"].includes(error.kind);
}

/** Whether GitHub denies it, or says that it is not there: its incidents do so, too, and pass. */
function isDenial(error: unknown): boolean {
  if (error instanceof ApiError) return error.code === "CODE_HOST_DENIED";
  return isCodeHostFailure(error) && (error.kind === "denied" || error.kind === "not_found");
}

/** Whether GitHub permits no calls until a time that it states. */
function isLimit(error: unknown): boolean {
  return isCodeHostFailure(error) && error.kind === "rate_limited" && error.retryAfterMs !== null;
}

function askedMs(error: unknown): number {
  const asked = error instanceof ApiError || isCodeHostFailure(error) ? error.retryAfterMs : null;
  return asked ?? 0;
}

function pauseMs(tries: number): number {
  return Math.min(1_000 * 2 ** tries, longestPauseMs);
}
