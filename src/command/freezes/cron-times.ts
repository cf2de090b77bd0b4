import type { Cron } from "./cron.ts";
import { instantOf, localTimeOf } from "./time-zone.ts";

const minuteMs = 60_000;
const dayMs = 86_400_000;
/** 29 February falls on every day of the week within 40 years, even around a century without one. */
const furthestDays = 41 * 366;
/** Clocks are set back by at most two hours (Antarctica/Troll). */
const longestShiftMs = 3 * 3_600_000;

/**
 * Returns the first time after an instant, in milliseconds since the epoch; null when there is none. A time that clocks skip comes when
 * they skip it, and one that they show twice comes the first time.
 */
export function nextTime(cron: Cron, timeZone: string, after: number): number | null {
  let local = nextLocalTime(cron, localTimeOf(timeZone, after));
  while (local !== null && instantOf(timeZone, local) <= after) local = nextLocalTime(cron, local);
  return local === null ? null : instantOf(timeZone, local);
}

/**
 * Returns the last time whose instant has come by an instant, as local clocks show it (`localTimeOf`). Null when there is none.
 */
export function lastLocalTime(cron: Cron, timeZone: string, at: number): number | null {
  // Clocks that were set back have shown later times before.
  let local = localTimeBefore(cron, localTimeOf(timeZone, at) + longestShiftMs);
  while (local !== null && instantOf(timeZone, local) > at) local = localTimeBefore(cron, local);
  return local;
}

/** The first time on a calendar after another one. Both are encoded as if they were UTC. */
export function nextLocalTime(cron: Cron, after: number): number | null {
  const first = Math.floor(after / dayMs);
  for (let day = first; day <= first + furthestDays; day++) {
    const next = timesOn(cron, day).find((time) => time > after);
    if (next !== undefined) return next;
  }
  return null;
}

function localTimeBefore(cron: Cron, before: number): number | null {
  const last = Math.floor(before / dayMs);
  for (let day = last; day >= last - furthestDays; day--) {
    const earlier = timesOn(cron, day).findLast((time) => time < before);
    if (earlier !== undefined) return earlier;
  }
  return null;
}

/** The matching times of a date (in days since the epoch), ascending. */
function timesOn({ hours, minutes, ...dates }: Cron, day: number): number[] {
  if (!isOnDay(dates, day)) return [];
  return hours.flatMap((hour) => minutes.map((minute) => day * dayMs + (60 * hour + minute) * minuteMs));
}

function isOnDay(
  { months, daysOfMonth, daysOfWeek, isEitherDay }: Omit<Cron, "hours" | "minutes">,
  day: number,
): boolean {
  const date = new Date(day * dayMs);
  if (!months.includes(date.getUTCMonth() + 1)) return false;
  const isInMonth = daysOfMonth.includes(date.getUTCDate());
  const isInWeek = daysOfWeek.includes(date.getUTCDay());
  return isEitherDay ? isInMonth || isInWeek : isInMonth && isInWeek;
}
