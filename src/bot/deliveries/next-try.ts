import { ApiError, NetworkError } from "../../client/client.ts";
import type { RepositoryRef } from "../../engine/model/queue.ts";
import { isCodeHostFailure, isDenial, isStorageFault } from "../../service/workers/retry.ts";
import type { GivenUpCode } from "../../store/leased/inbox.ts";
import type { Bot } from "../bot.ts";
import { UnreadablePayload } from "./payload.ts";

type NextTry =
  /** `isFault`: the attempt counts towards `maxFaults`, after which the delivery is given up. */
  | { readonly kind: "again"; readonly inMs: number; readonly isFault: boolean }
  | { readonly kind: "give_up"; readonly code: GivenUpCode };

/** A delivery that could not be handled. */
interface FailedTry {
  readonly error: unknown;
  /** Time since the delivery was received. */
  readonly ageMs: number;
  /** The number of previous tries, and how many of them were faults. */
  readonly attempts: number;
  readonly faults: number;
  /** GitHub denied something, and the queues of the repository cannot work at all. */
  readonly meetsObstacle?: boolean;
}

const maxAbsenceMs = 24 * 60 * 60 * 1000;
/** Incidents in which GitHub denies what is permitted usually end sooner. */
const maxDenialMs = 60 * 60 * 1000;
/** Ten faults take four minutes, with the pauses below. Later commands on the pull request wait that long. */
const maxFaults = 10;
/**
 * While a merge waits for a delivery, the delivery is tried more often. It is not given up sooner, because that would let the merge
 * continue.
 */
const leastFaultyMs = 4 * 60_000;
const longestPauseMs = 60_000;

/**
 * Decides when to retry. While GitHub is absent, or the queue cannot work at all, everything has to wait anyway: for up to a day. A denial
 * is believed after an hour. A fault of our own must not delay later deliveries for long, and an unreadable payload never becomes readable.
 */
export function nextTry({ error, ageMs, attempts, faults, meetsObstacle = false }: FailedTry): NextTry {
  if (error instanceof UnreadablePayload) return { kind: "give_up", code: "PAYLOAD_UNREADABLE" };
  if (isAbsence(error) || meetsObstacle) {
    if (ageMs >= maxAbsenceMs)
      return { kind: "give_up", code: meetsObstacle ? "CODE_HOST_DENIED" : "CODE_HOST_ABSENT" };
    const asked = askedMs(error);
    // A rate limit states when to retry, so the pause does not grow with the number of attempts.
    const inMs = isLimit(error) ? asked : Math.max(asked, pauseMs(attempts));
    return { kind: "again", inMs, isFault: false };
  }
  if (isDenied(error) && ageMs < maxDenialMs)
    return { kind: "again", inMs: pauseMs(attempts), isFault: false };
  if (faults + 1 >= maxFaults && ageMs >= leastFaultyMs)
    return { kind: "give_up", code: isRefused(error) ? "CODE_HOST_DENIED" : "NOT_HANDLED" };
  return { kind: "again", inMs: pauseMs(faults), isFault: true };
}

/** Whether nothing answered: GitHub, the service that hosts the queue, or the database. */
function isAbsence(error: unknown): boolean {
  if (error instanceof NetworkError || isStorageFault(error)) return true;
  // Only GitHub knows whether its last call has merged the pull request.
  if (error instanceof ApiError && error.code === "MERGE_ALREADY_ORDERED") return true;
  // 500 is a fault of the queue's service. A proxy in front of it answers 502 or 504 when the service is absent.
  if (error instanceof ApiError) return [429, 502, 503, 504].includes(error.status);
  return isCodeHostFailure(error) && ["unavailable", "busy", "rate_limited"].includes(error.kind);
}

/** Whether GitHub denied something or did not find it, when asked by us or by the service that hosts the queue. */
export function isRefused(error: unknown): boolean {
  return isDenied(error) || isDenial(error);
}

function isDenied(error: unknown): boolean {
  if (error instanceof ApiError) return error.code === "CODE_HOST_DENIED";
  return isCodeHostFailure(error) && error.kind === "denied";
}

/** Whether GitHub permits no calls before a time that it states. */
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

/**
 * Whether no queue of a delivery's repository can work at all, such as while the App is suspended.
 *
 * @param stream `owner/name#number` or `owner/name/event`
 */
export async function meetsObstacle({ queuesOf, reach, settings }: Bot, stream: string): Promise<boolean> {
  const queues = await queuesOf(repositoryOfStream(stream, settings.host));
  for (const { id } of queues) if (!(await reach.suspect(id))) return false;
  return queues.length > 0;
}

/** The repository of a delivery, with its name in lower case. */
export function repositoryOfStream(stream: string, host: string): RepositoryRef {
  const [owner = "", rest = ""] = stream.split("/");
  const [name = ""] = rest.split("#");
  return { host, owner, name };
}
