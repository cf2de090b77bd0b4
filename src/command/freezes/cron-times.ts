import type { Cron } from "./cron.ts";
import { instantOf, localTimeOf, offsetAt } from "./time-zone.ts";

const minuteMs = 60_000;
const dayMs = 86_400_000;
/** 29 February falls on every day of the week within 40 years, even around a century without one. */
const furthestDays = 41 * 366;

/** Returns the first time after an instant, in milliseconds since the epoch; null when there is none. */
export function nextTime(cron: Cron, timeZone: string, after: number): number | null {
  // A time that clocks skip may fall on the day after its date.
  const first = dayOf(timeZone, after) - 1;
  for (let day = first; day <= first + furthestDays; day++) {
    if (!isOnDay(cron, day)) continue;
    const times = [...timesOn(cron, timeZone, day), ...timesOn(cron, timeZone, day + 1)];
    const later = times.filter((time) => time > after);
    if (later.length > 0) return Math.min(...later);
  }
  return null;
}

/** Returns the last time up to and including an instant, in milliseconds since the epoch; null when there is none. */
export function lastTime(cron: Cron, timeZone: string, at: number): number | null {
  const last = dayOf(timeZone, at);
  for (let day = last; day >= last - furthestDays; day--) {
    if (!isOnDay(cron, day)) continue;
    const times = [...timesOn(cron, timeZone, day), ...timesOn(cron, timeZone, day - 1)];
    const earlier = times.filter((time) => time <= at);
    if (earlier.length > 0) return Math.max(...earlier);
  }
  return null;
}

/** Returns the date that local clocks show, in days since the epoch. */
function dayOf(timeZone: string, instant: number): number {
  return Math.floor(localTimeOf(timeZone, instant) / dayMs);
}

function isOnDay({ months, daysOfMonth, daysOfWeek, isEitherDay }: Cron, day: number): boolean {
  const date = new Date(day * dayMs);
  if (!months.includes(date.getUTCMonth() + 1)) return false;
  const isInMonth = daysOfMonth.includes(date.getUTCDate());
  const isInWeek = daysOfWeek.includes(date.getUTCDay());
  return isEitherDay ? isInMonth || isInWeek : isInMonth && isInWeek;
}

/** Returns the matching instants of a date; empty when the date does not match. */
function timesOn(cron: Cron, timeZone: string, day: number): number[] {
  if (!isOnDay(cron, day)) return [];
  const local = cron.hours.flatMap((hour) =>
    cron.minutes.map((minute) => day * dayMs + (60 * hour + minute) * minuteMs),
  );
  const noon = day * dayMs + dayMs / 2;
  const offset = offsetAt(timeZone, noon);
  const isUniform = [-dayMs, dayMs].every((ms) => offsetAt(timeZone, noon + ms) === offset);
  return isUniform ? local.map((time) => time - offset) : local.map((time) => instantOf(timeZone, time));
}
