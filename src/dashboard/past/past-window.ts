import { parseTime } from "../times.ts";

const hourMs = 3_600_000;

/** How much of the past the axis shows at once, by its name in the address. */
export const spans = {
  "1h": { text: "1 hour", ms: hourMs },
  "6h": { text: "6 hours", ms: 6 * hourMs },
  "1d": { text: "1 day", ms: 24 * hourMs },
  "7d": { text: "7 days", ms: 7 * 24 * hourMs },
} as const;

export type Span = keyof typeof spans;

export const spanNames = Object.keys(spans) as readonly Span[];

const defaultSpan: Span = "6h";
/** The number of places of the slider, so that one press of an arrow key moves it by half a minute in six hours. */
const places = 720;

/** A moment, and the part of the past around it that the axis shows. Times in milliseconds since the epoch. */
export interface PastWindow {
  readonly at: number;
  readonly span: Span;
  readonly from: number;
  readonly to: number;
  /** Whether it begins when the queue was created. */
  readonly isFirst: boolean;
  /** Whether it ends now. */
  readonly isLast: boolean;
  /** The number of pull requests before the first that is listed. */
  readonly place: number;
  /** The places of the slider are this far apart. */
  readonly step: number;
  /** The text in the address that is not a valid time; null = the address has a valid time, or none. */
  readonly problem: string | null;
}

/** Reads which moment an address names. Without one, or for a later one, it is now. */
export function readWindow(query: unknown, now: number): PastWindow {
  const { at: given, span: name, end, from: place } = query as Record<string, unknown>;
  const moment = readMoment(given);
  const at = Math.min(moment ?? now, now);
  const span = spanNames.find((one) => one === name) ?? defaultSpan;
  const { ms } = spans[span];
  const kept = readMoment(end) ?? Number.NaN;
  const isKept = kept >= at && kept - ms <= at && kept <= now;
  const to = isKept ? kept : Math.min(now, at + ms / 2);
  const problem = moment === null && given !== undefined ? String(given).slice(0, 100) : null;
  const ends = { isFirst: false, isLast: to === now };
  return { at, span, from: to - ms, to, ...ends, place: readPlace(place), step: stepOf(ms), problem };
}

function stepOf(ms: number): number {
  return Math.max(1, Math.round(ms / places / 1000)) * 1000;
}

/** Reads which part of a long list an address names: the number of entries before the first that is shown. */
export function readPlace(text: unknown): number {
  return typeof text === "string" && /^\d{1,6}$/.test(text) ? Number(text) : 0;
}

/** The length of the axis of a queue that has just been created. */
const leastMs = 60_000;

/** The axis does not show the time before the queue was created, unless the moment lies there. */
export function sinceCreation(window: PastWindow, createdAt: number): PastWindow {
  const { at, from, to } = window;
  const age = Math.max(to - createdAt, leastMs);
  if (at < createdAt || from >= to - age) return window;
  const step = stepOf(age);
  // A whole number of steps, because the slider would not reach its end otherwise.
  return { ...window, from: to - Math.ceil(age / step) * step, isFirst: true, step };
}

/** The latest time that JavaScript can represent. */
const lastTime = 8.64e15;

function readMoment(text: unknown): number | null {
  if (typeof text !== "string") return null;
  if (/^\d{1,16}$/.test(text) && Number(text) <= lastTime) return Number(text);
  const [, minute, second = ":00", fraction] =
    /^(\d{4}-\d\d-\d\dT\d\d:\d\d)(:\d\d)?(\.\d{3})?Z?$/.exec(text) ?? [];
  const since = minute === undefined ? null : parseTime(`${minute}${second}${fraction ?? ""}Z`);
  if (since === null) return null;
  // People name a second, and mean everything up to its end.
  return fraction === undefined ? since + 999 : since;
}
