import { instantOf, localTimeOf } from "./time-zone.ts";

/** The times that the five fields of a cron expression match. Each list is in ascending order, without repetition. */
export interface Cron {
  /** 0 to 59. */
  readonly minutes: readonly number[];
  /** 0 to 23. */
  readonly hours: readonly number[];
  /** 1 to 31. */
  readonly daysOfMonth: readonly number[];
  /** 1 to 12. */
  readonly months: readonly number[];
  /** 0 to 6 from Sunday. */
  readonly daysOfWeek: readonly number[];
  /** A day has to match only one of its two fields, because neither of them begins with `*`. */
  readonly isEitherDay: boolean;
}

interface Field {
  readonly name: string;
  readonly first: number;
  readonly last: number;
  /** Names of the values from `first` on. */
  readonly names?: readonly string[];
}

const monthNames = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
/** Sunday is both 0 and 7, because a range can end with it. */
const dayNames = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

const fields = {
  minute: { name: "minute", first: 0, last: 59 },
  hour: { name: "hour", first: 0, last: 23 },
  dayOfMonth: { name: "day of the month", first: 1, last: 31 },
  month: { name: "month", first: 1, last: 12, names: monthNames },
  dayOfWeek: { name: "day of the week", first: 0, last: 7, names: dayNames },
} as const satisfies Record<string, Field>;

class CronProblem extends Error {}

/**
 * Parses `minute hour day-of-month month day-of-week` as crontab(5) describes them, or describes the fault. Never throws.
 * https://man7.org/linux/man-pages/man5/crontab.5.html
 */
export function parseCron(text: string): Cron | { readonly problem: string } {
  const parts = text.trim().split(/\s+/);
  const [minute = "", hour = "", dayOfMonth = "", month = "", dayOfWeek = ""] = parts;
  if (parts.length !== 5)
    return { problem: "needs five fields: minute, hour, day of the month, month, day of the week" };
  try {
    return {
      minutes: valuesOf(fields.minute, minute),
      hours: valuesOf(fields.hour, hour),
      daysOfMonth: valuesOf(fields.dayOfMonth, dayOfMonth),
      months: valuesOf(fields.month, month),
      daysOfWeek: distinct(valuesOf(fields.dayOfWeek, dayOfWeek).map((day) => day % 7)),
      isEitherDay: !dayOfMonth.startsWith("*") && !dayOfWeek.startsWith("*"),
    };
  } catch (error) {
    if (error instanceof CronProblem) return { problem: error.message };
    throw error;
  }
}

function valuesOf(field: Field, text: string): number[] {
  return distinct(text.split(",").flatMap((part) => valuesOfPart(field, part)));
}

function valuesOfPart(field: Field, part: string): number[] {
  const [, range = "", step = "1"] = /^([^/]+)(?:\/([1-9]\d{0,2}))?$/.exec(part) ?? [];
  if (range === "") throw new CronProblem(`has ${quoted(part)} as the ${field.name}; ${allowed(field)}`);
  const [from, to] = boundsOf(field, range);
  if (step !== "1" && from === to)
    throw new CronProblem(
      `has a step without a range, ${quoted(part)}, as the ${field.name}; ${allowed(field)}`,
    );
  const values = Array.from({ length: to - from + 1 }, (_, index) => from + index);
  return values.filter((value) => (value - from) % Number(step) === 0);
}

function boundsOf(field: Field, range: string): [from: number, to: number] {
  if (range === "*") return [field.first, field.name === fields.dayOfWeek.name ? 6 : field.last];
  const [first = "", last = first, ...more] = range.split("-");
  const from = numberOf(field, first);
  const named = numberOf(field, last);
  // A range such as Saturday to Sunday.
  const to = field.name === fields.dayOfWeek.name && named === 0 && from > 0 ? 7 : named;
  if (more.length === 0 && from <= to) return [from, to];
  throw new CronProblem(
    `has ${quoted(range)} as the ${field.name}; a range goes from a smaller value to a larger one, and two ranges are joined by a comma`,
  );
}

function numberOf(field: Field, text: string): number {
  const index = field.names?.indexOf(text.toLowerCase()) ?? -1;
  const value = index >= 0 ? field.first + index : /^\d{1,2}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= field.first && value <= field.last) return value;
  throw new CronProblem(`has ${quoted(text)} as the ${field.name}; ${allowed(field)}`);
}

function allowed({ first, last, names }: Field): string {
  const named = names ? `, or ${names[0]} to ${names.at(-1)}` : "";
  return `write *, a number from ${first} to ${last}${named}, a list such as 1,3, a range such as 1-3, or a step such as */2`;
}

function quoted(text: string): string {
  return JSON.stringify(text.slice(0, 40));
}

function distinct(values: readonly number[]): number[] {
  return [...new Set(values)].sort((a, b) => a - b);
}

const minuteMs = 60_000;
const dayMs = 86_400_000;
/** Within 40 years, 29 February falls on every day of the week, even around a century year that is no leap year. */
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

/** Returns the last matching time up to an instant, as local clocks show it (`localTimeOf`). Null when there is none. */
export function lastLocalTime(cron: Cron, timeZone: string, at: number): number | null {
  // Clocks that were set back have already shown later times.
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
