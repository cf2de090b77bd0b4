import { renderObjection } from "../../reasons/objection.ts";
import { asClause, inSentences, timeOf } from "../../reasons/sentence.ts";

/** The kinds of work that a queue orders from the code host. A queue waits for one order of each kind at a time. */
export type OrderedWork = "build" | "merge";

/** Why ordered work is postponed. */
export type WaitCode =
  /** GitHub does not answer, or answers with a server error. */
  | "GITHUB_UNAVAILABLE"
  /** GitHub is not ready, because another change is in progress. */
  | "GITHUB_BUSY"
  /** GitHub limits the rate of our requests. */
  | "GITHUB_LIMITS_US"
  /** GitHub answers that the call is not allowed, or that the resource does not exist. This may be a temporary incident. */
  | "GITHUB_DENIES"
  /** GitHub does not say whether a pull request has the reviews and resolved conversations that the rules demand. */
  | "REVIEW_UNKNOWN"
  /** A command, or a change at GitHub, that was received before is not handled yet. It may forbid the work. */
  | "COMMAND_PENDING"
  /** An error of our own. */
  | "INTERNAL_ERROR";

export interface Wait {
  readonly code: WaitCode;
  readonly message: string;
  /** When the work is retried, in milliseconds since the epoch. */
  readonly until: number;
}

const what: Readonly<Record<OrderedWork, string>> = { build: "making its test commit", merge: "merging" };

export function renderWait(work: OrderedWork, { code, message, until }: Wait): string {
  const time = timeOf(until);
  const details = `details: ${asClause(message)}`;
  const again = `it is tried again at ${time}`;
  switch (code) {
    case "GITHUB_LIMITS_US":
      return inSentences(`GitHub asks us to wait until ${time} before ${what[work]}`, details);
    case "GITHUB_DENIES":
      return inSentences(`GitHub denies ${what[work]}`, details, again);
    case "GITHUB_BUSY":
      return inSentences(`GitHub is not ready for ${what[work]}`, details, again);
    case "REVIEW_UNKNOWN":
      return inSentences(renderObjection({ code }), details, again);
    case "GITHUB_UNAVAILABLE":
      return inSentences(`GitHub does not answer to ${what[work]}`, details, again);
    case "COMMAND_PENDING":
      return inSentences(`${what[work]} waits`, message, again);
    case "INTERNAL_ERROR":
      return inSentences(`${what[work]} failed with an error of Trainyard's own`, "its log says more", again);
  }
}

/** A time in which the queue could merge something, and has merged nothing. */

export interface Lull {
  /** Milliseconds since the epoch. */
  readonly since: number;
  /**
   * The number of events since then that each cost another test: a test without anything ahead that failed, was repeated or discarded, or
   * was part of a bisection, or a move of the base by somebody else.
   */
  readonly setbacks: number;
  /** How long GitHub has kept the queue from its work since, in milliseconds. */
  readonly waitedMs: number;
}

/** An alarm: pull requests wait, and nothing has merged for too long. */

export interface Stall {
  /** Since when nothing has merged, in milliseconds since the epoch. */
  readonly since: number;
  /** The pull request that was the first in the queue. */
  readonly pr: number;
}

/** A period in which only urgent pull requests merge. Tests continue. */
export interface Freeze {
  /** The reason that the repository file gives. */
  readonly reason: string;
  /** When it began, in milliseconds since the epoch. */
  readonly since: number;
  /** When merging continues, in milliseconds since the epoch. */
  readonly until: number;
  /** The IANA name of the time zone in which `until` is shown. */
  readonly timeZone: string;
}

/**
 * The freeze as sentences, without the first capital letter and the last full stop: `frozen until Mon, 30 Nov 2026, 08:00 (Europe/Berlin).
 * The reason: Release weekend. Until then, only urgent pull requests merge into main`.
 */
export function renderFreeze(freeze: Freeze, branch: string): string {
  const rule = `until then, only urgent pull requests merge into ${branch}`;
  return inSentences(`frozen until ${renderEnd(freeze)}`, `the reason: ${freeze.reason}`, rule);
}

/** The end of a freeze as local time in its time zone, with the zone's name. */
export function renderEnd({ until, timeZone }: Freeze): string {
  const format = new Intl.DateTimeFormat("en-GB", {
    timeZone,
    weekday: "short",
    day: "numeric",
    month: "short",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  });
  return `${format.format(until)} (${timeZone})`;
}
