import { nearestName } from "./nearest-name.ts";

const dayMs = 86_400_000;

const formats = new Map<string, Intl.DateTimeFormat>();

/** What is wrong with the name of a time zone, and what to write instead; null: nothing. */
export function timeZoneProblem(name: string): string | null {
  try {
    formatOf(name);
    return null;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const meant = nearestName(name, [...Intl.supportedValuesOf("timeZone"), "UTC"]);
    return `is no time zone; ${meant === null ? "write a name such as Europe/Berlin, America/New_York or UTC" : `did you mean ${meant}?`}`;
  }
}

/**
 * The time that clocks show, as if they stood in UTC. In milliseconds since the epoch, like the instant.
 *
 * @throws {RangeError} there is no such time zone
 */
export function localTimeOf(timeZone: string, instant: number): number {
  const parts: Record<string, number> = {};
  for (const { type, value } of formatOf(timeZone).formatToParts(instant)) parts[type] = Number(value);
  const { year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

/**
 * The instant at which clocks show a time, which is given as if it were in UTC. Of an hour that they show twice, the first one
 * counts; an hour that they skip counts from the offset before it, so that 02:30 is 03:30.
 */
export function instantOf(timeZone: string, local: number): number {
  const before = local - offsetAt(timeZone, local - dayMs);
  const after = local - offsetAt(timeZone, local + dayMs);
  const found = [before, after].filter((instant) => localTimeOf(timeZone, instant) === local);
  return found.length === 0 ? before : Math.min(...found);
}

/** How far clocks are ahead of UTC, in milliseconds. */
export function offsetAt(timeZone: string, instant: number): number {
  const second = Math.floor(instant / 1000) * 1000;
  return localTimeOf(timeZone, second) - second;
}

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known) return known;
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone,
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
    hourCycle: "h23",
  });
  formats.set(timeZone, format);
  return format;
}
