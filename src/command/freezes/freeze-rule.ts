import type { Freeze } from "../../engine/model/order/delay.ts";
import { listensTo } from "../branch-filter.ts";
import { type Cron, lastLocalTime, nextLocalTime, nextTime } from "./cron.ts";
import { instantOf } from "./time-zone.ts";

/** A freeze as the repository file describes it. */
export interface FreezeRule {
  readonly reason: string;
  /** An IANA name. */
  readonly timeZone: string;
  /** Patterns of the branches that it applies to; null = all branches. */
  readonly branches: readonly string[] | null;
  readonly schedule: FreezeSchedule;
}

export type FreezeSchedule =
  /** Begins at each time that matches `from`, and ends at the next time that matches `until`, both in the time zone. */
  | { readonly kind: "recurring"; readonly from: Cron; readonly until: Cron }
  | ({ readonly kind: "once" } & FreezeWindow);

/** In milliseconds since the epoch. `until` is exclusive. */
interface FreezeWindow {
  readonly from: number;
  readonly until: number;
}

/** Returns the window of a rule that contains an instant; null when there is none. */
export function windowAt({ schedule, timeZone }: FreezeRule, at: number): FreezeWindow | null {
  if (schedule.kind === "once") {
    const { from, until } = schedule;
    return from <= at && at < until ? { from, until } : null;
  }
  // The current window, because earlier windows end no later.
  const from = lastLocalTime(schedule.from, timeZone, at);
  // If clocks skip the whole window, it is empty. The end is searched by local time, because a search from the instant would find the end
  // one day later.
  const until = from === null ? null : nextLocalTime(schedule.until, from);
  if (from === null || until === null || at >= instantOf(timeZone, until)) return null;
  return { from: instantOf(timeZone, from), until: instantOf(timeZone, until) };
}

/** Returns when the next window of a rule begins after an instant; null when there is none. */
export function nextStart({ schedule, timeZone }: FreezeRule, after: number): number | null {
  if (schedule.kind === "recurring") return nextTime(schedule.from, timeZone, after);
  return schedule.from > after ? schedule.from : null;
}

const dayMs = 86_400_000;
const longestMs = 366 * dayMs;
/** An arbitrary day: the result does not depend on it. */
const someDay = Date.UTC(2024, 0, 1);

/** Whether the windows of a rule leave time to merge between them at least once a year. */
export function leavesTime(rule: FreezeRule): boolean {
  const start = nextStart(rule, someDay);
  for (let at = start; at !== null; ) {
    const window = windowAt(rule, at);
    if (window === null) return true;
    if (start !== null && window.until - start > longestMs) return false;
    at = window.until;
  }
  return true;
}

/** Maximum number of adjacent windows that are joined. */
const maxJoined = 100;

/**
 * Returns the freeze of a branch at an instant: the current window that ends last, extended by windows that follow without a
 * gap.
 */
export function freezeAt(rules: readonly FreezeRule[], branch: string, at: number): Freeze | null {
  const own = rules.filter((rule) => isOf(rule, branch));
  const found = lastEnding(own, at);
  if (found === null) return null;
  const { rule, window } = found;
  let { until } = window;
  for (let joined = 0; joined < maxJoined; joined++) {
    const next = lastEnding(own, until);
    if (next === null) break;
    until = next.window.until;
  }
  return { reason: rule.reason, since: window.from, until, timeZone: rule.timeZone };
}

/** Returns the first instant after `at` when `freezeAt` may change its result; null when it never will. */
export function nextFreezeChange(rules: readonly FreezeRule[], branch: string, at: number): number | null {
  const changes = rules
    .filter((rule) => isOf(rule, branch))
    .flatMap((rule) => windowAt(rule, at)?.until ?? nextStart(rule, at) ?? []);
  return changes.length === 0 ? null : Math.min(...changes);
}

function isOf({ branches }: FreezeRule, branch: string): boolean {
  return listensTo({ branches, branchesIgnore: [], filtersPaths: false }, branch);
}

function lastEnding(
  rules: readonly FreezeRule[],
  at: number,
): { readonly rule: FreezeRule; readonly window: FreezeWindow } | null {
  const active = rules.flatMap((rule) => {
    const window = windowAt(rule, at);
    return window ? [{ rule, window }] : [];
  });
  return active.toSorted((a, b) => b.window.until - a.window.until)[0] ?? null;
}
