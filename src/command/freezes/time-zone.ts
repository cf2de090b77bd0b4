import { nearestName } from "../nearest-name.ts";

const dayMs = 86_400_000;

const formats = new Map<string, Intl.DateTimeFormat>();

/** Describes the fault of a time zone's name, and suggests another name; null when the name is valid. */
export function timeZoneProblem(name: string): string | null {
  try {
    formatOf(name);
    return null;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const meant = nearestName(name, [...Intl.supportedValuesOf("timeZone"), "UTC"]);
    return `is not a time zone; ${meant === null ? "write a name such as Europe/Berlin, America/New_York or UTC" : `did you mean ${meant}?`}`;
  }
}

/**
 * Returns the time that local clocks show, encoded as if it were UTC. In milliseconds since the epoch, like the instant.
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
 * Returns the instant at which local clocks show a time; the time is encoded as if it were UTC. If clocks show an hour twice,
 * the first one counts. If clocks skip an hour, each time in it is the instant of the skip. So later times never come earlier.
 */
export function instantOf(timeZone: string, local: number): number {
  const before = local - offsetAt(timeZone, local - dayMs);
  const after = local - offsetAt(timeZone, local + dayMs);
  const found = [before, after].filter((instant) => localTimeOf(timeZone, instant) === local);
  return found.length === 0 ? skipOf(timeZone, local, after, before) : Math.min(...found);
}

/**
 * Returns the first instant, in whole seconds, at which clocks show a later time than the skipped one. It lies between the two instants.
 */
function skipOf(timeZone: string, local: number, from: number, to: number): number {
  let [earlier, later] = [Math.floor(from / 1000), Math.ceil(to / 1000)];
  while (later - earlier > 1) {
    const middle = Math.floor((earlier + later) / 2);
    if (localTimeOf(timeZone, middle * 1000) > local) later = middle;
    else earlier = middle;
  }
  return later * 1000;
}

/** Returns how far local clocks are ahead of UTC, in milliseconds. */
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
