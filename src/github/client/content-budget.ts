import type { CallLimits } from "../../ports/code-host/app.ts";
import { BoundedMap } from "./bounded-map.ts";

/**
 * How much content GitHub lets an installation create: 80 items a minute and 500 an hour on github.com.
 * https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api#about-secondary-rate-limits
 */
export interface ContentBudget {
  readonly perMinute: number;
  readonly perHour: number;
}

/** The share of the limit that a full bucket holds. The rest is added evenly, so that no minute (or hour) exceeds the limit. */
const burstShare = 0.25;
/** The share of a bucket that is reserved for merges: status can be shown later. */
const reservedShare = 0.25;

const minuteMs = 60_000;
const hourMs = 3_600_000;

interface Bucket {
  readonly tokens: number;
  readonly capacity: number;
  readonly perMs: number;
}

export const noLimits: CallLimits = {
  restStoppedUntil: 0,
  graphqlStoppedUntil: 0,
  minuteTokens: Number.POSITIVE_INFINITY,
  hourTokens: Number.POSITIVE_INFINITY,
  filledAt: 0,
};

/** The answer to a request to create one content. In milliseconds. */
export interface ContentPermit {
  /**
   * 0: the content was taken from the budget and may be created. Otherwise nothing was taken, and this is the time until the next request.
   */
  readonly waitMs: number;
  /** The time between two contents once the budget is used up. */
  readonly everyMs: number;
}

export const unlimited: ContentPermit = { waitMs: 0, everyMs: 0 };

/**
 * Takes one content from the budget, if there is one.
 *
 * @param isUrgent may use the reserved share
 */
export function takeContent(
  known: CallLimits,
  budget: ContentBudget,
  now: number,
  isUrgent: boolean,
): ContentPermit & { limits: CallLimits } {
  const age = Math.max(0, now - known.filledAt);
  const minute = fill(known.minuteTokens, budget.perMinute, minuteMs, age);
  const hour = fill(known.hourTokens, budget.perHour, hourMs, age);
  const [of, waitMs] = longest(minute, hour, isUrgent);
  const taken = waitMs === 0 ? 1 : 0;
  const limits = {
    ...known,
    minuteTokens: minute.tokens - taken,
    hourTokens: hour.tokens - taken,
    filledAt: now,
  };
  return { limits, waitMs, everyMs: 1 / of.perMs };
}

function longest(minute: Bucket, hour: Bucket, isUrgent: boolean): [Bucket, number] {
  const [ofMinute, ofHour] = [waitOf(minute, isUrgent), waitOf(hour, isUrgent)];
  return ofMinute > ofHour ? [minute, ofMinute] : [hour, ofHour];
}

function fill(tokens: number, budget: number, windowMs: number, age: number): Bucket {
  if (budget === Number.POSITIVE_INFINITY) return { tokens: budget, capacity: 1, perMs: 1 };
  const capacity = Math.max(1, budget * burstShare);
  const perMs = Math.max(1, budget - capacity) / windowMs;
  return { tokens: Math.min(capacity, tokens + age * perMs), capacity, perMs };
}

function waitOf({ tokens, capacity, perMs }: Bucket, isUrgent: boolean): number {
  const reserved = Math.min(Math.max(1, Math.floor(capacity * reservedShare)), Math.floor(capacity) - 1);
  const needed = 1 + (isUrgent ? 0 : reserved);
  return tokens >= needed ? 0 : Math.ceil((needed - tokens) / perMs);
}

/** The maximum delay of a content whose turn was used by another one, such as a merge. */
const maxWaitMs = 300_000;
const maxPlaces = 10_000;

/**
 * Tells refused contents when to ask again: one after the other, at the pace of the budget. If all of them asked at the same time, only one
 * would be permitted.
 */
export class ContentSchedule {
  #nextAt = 0;
  #refused = { until: 0, everyMs: 0 };
  /** When the turn of each waiting content comes. */
  readonly #turns = new BoundedMap<string, number>(maxPlaces);

  /** Returns the last refusal while it is valid, so that the budget need not be asked; null = it must be asked. */
  refusal(now: number): ContentPermit | null {
    const waitMs = this.#refused.until - now;
    return waitMs > 0 ? { waitMs, everyMs: this.#refused.everyMs } : null;
  }

  /**
   * Returns the milliseconds after which to ask again. A content that asks too early, because it has changed, keeps its place.
   *
   * @param content its name
   */
  addRefused(content: string, { waitMs, everyMs }: ContentPermit, now: number): number {
    this.#refused = { until: now + waitMs, everyMs };
    const turn = this.#turns.get(content) ?? 0;
    if (turn > now) return Math.ceil(Math.max(turn - now, waitMs));
    const at = Math.min(Math.max(now + waitMs, this.#nextAt), now + maxWaitMs);
    this.#nextAt = at + everyMs;
    this.#turns.set(content, at);
    return Math.ceil(at - now);
  }

  /** Must be called when the content may be created. */
  remove(content: string): void {
    this.#turns.delete(content);
  }
}
