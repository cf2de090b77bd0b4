import type { CodeHostFailure } from "../../ports/code-host/code-host.ts";
import type { StorageFault } from "../../ports/storage-fault.ts";
import type { OutboxRow } from "../../store/leased/outbox.ts";

export function isCodeHostFailure(error: unknown): error is CodeHostFailure {
  return error instanceof Error && error.name === "CodeHostError";
}

/**
 * Whether the code host denied something, or did not find it. During incidents, GitHub answers so even for what is permitted and exists.
 */
export function isDenial(error: unknown): error is CodeHostFailure {
  return isCodeHostFailure(error) && (error.kind === "denied" || error.kind === "not_found");
}

/** Whether the database failed, as opposed to the request. */
export function isStorageFault(error: unknown): error is Error & StorageFault {
  return error instanceof Error && error.name === "StorageError";
}

/** What is known of the earlier attempts of a task. */
export type TaskHistory = Pick<OutboxRow, "failures" | "failedAs" | "failedInARow">;

/**
 * Failures in a row after which a denial or an absence is believed: some three minutes with the delays of
 * `retryDelayMs`. During incidents, GitHub answers 401, 403 and 404 for things that exist and are permitted.
 */
export const lastingFailures = 8;

/**
 * Failures in a row after which even a temporary refusal is believed: an hour. A longer wait would hold up the whole
 * queue.
 */
const busyFailures = 120;
/**
 * Tasks that outages stop and that hold up others, a merge or a build, are retried at this interval. Only a few are in progress at once.
 */
const longestOutageMs = 15_000;
/** While the database fails, work is retried at this interval, so that it continues as soon as the database works. */
const storageRetryMs = 1_000;

/**
 * Whether the code host has refused for so long that the refusal is believed. An outage is never a refusal, and neither is an answer
 * without the reviewers' decision.
 */
export function isLasting({ kind }: CodeHostFailure, history: TaskHistory): boolean {
  if (kind === "unavailable" || kind === "rate_limited" || kind === "review_unknown") return false;
  return inARow(kind, history) >= (kind === "busy" ? busyFailures : lastingFailures);
}

/** Whether a denial that comes now would be lasting. */
export function isDeniedForLong({ failedAs, failedInARow }: TaskHistory): boolean {
  return (failedAs === "denied" || failedAs === "not_found") && failedInARow >= lastingFailures;
}

/** Whether something has been absent for about a day, such as after the repository was deleted or the App removed. */
export function isGone(error: unknown, history: TaskHistory): boolean {
  return (
    isCodeHostFailure(error) &&
    error.kind === "not_found" &&
    inARow(error.kind, history) >= lastingFailures + 24
  );
}

/** An incident of GitHub that mixes denials with outages proves neither. */
const inARow = (kind: string, { failedAs, failedInARow }: TaskHistory): number =>
  failedAs === kind ? failedInARow : 0;

/**
 * The kind of a failed attempt; null when it says nothing about its task, because of a rate limit or a failing database.
 *
 * @param isObstructed the queue cannot work at all, such as while the App is suspended. Denials during that time are not added to later
 * ones.
 */
export function failureKind(error: unknown, isObstructed = false): string | null {
  if (isStorageFault(error)) return null;
  if (!isCodeHostFailure(error)) return "internal";
  if (error.kind === "rate_limited") return null;
  return isObstructed ? "obstructed" : error.kind;
}

/**
 * The delay before the next attempt: what the code host requests, else 1 s, 2 s, 4 s … 1 min. At most half a minute while the code host is
 * busy; up to an hour for a lasting refusal. A task that holds up others waits for at most a minute, or 15 s in an outage.
 */
export function retryDelayMs(error: unknown, failures: number, row?: OutboxRow): number {
  if (isStorageFault(error)) return storageRetryMs;
  if (isCodeHostFailure(error) && error.retryAfterMs !== null) return error.retryAfterMs;
  return Math.min(1_000 * 2 ** failures, longestDelayMs(error, row));
}

function longestDelayMs(error: unknown, row: OutboxRow | undefined): number {
  if (!isCodeHostFailure(error)) return 60_000;
  if (error.kind === "busy") return 30_000;
  if (!row) return 60_000;
  const isOutage = error.kind === "unavailable" || error.kind === "review_unknown";
  if (holdsUpOthers(row)) return isOutage ? longestOutageMs : 60_000;
  return isLasting(error, row) ? 3_600_000 : 60_000;
}

function holdsUpOthers({ task }: OutboxRow): boolean {
  return task.type === "merge" || task.type === "build_test_commit";
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
