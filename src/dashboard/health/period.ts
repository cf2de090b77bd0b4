import { stepMs } from "../../service/metrics/health/health-figures.ts";
import { parseTime } from "../times.ts";

/** The time that a page of figures shows, in equal parts. In milliseconds since the epoch. */
export interface Period {
  readonly from: number;
  readonly to: number;
  readonly bucketMs: number;
  /** The name of the range that ends now; null = the ends were chosen. */
  readonly range: RangeName | null;
  /** Why the requested period is not shown, for people; null = it is shown. */
  readonly problem: string | null;
}

const hourMs = 60 * 60_000;
const dayMs = 24 * hourMs;

export const ranges = {
  "1h": { ms: hourMs, text: "1 hour" },
  "6h": { ms: 6 * hourMs, text: "6 hours" },
  "24h": { ms: dayMs, text: "24 hours" },
  "7d": { ms: 7 * dayMs, text: "7 days" },
  "30d": { ms: 30 * dayMs, text: "30 days" },
  "90d": { ms: 90 * dayMs, text: "90 days" },
} as const;
export type RangeName = keyof typeof ranges;

const bucketSizes = [stepMs, 3 * stepMs, 6 * stepMs, hourMs, 2 * hourMs, 4 * hourMs, 12 * hourMs, dayMs];
/** With more parts, most would contain a single pull request. */
const mostBuckets = 48;

/** Reads `?range=24h`, or `?from=2026-11-29T10:00&to=…` in UTC. Everything else is the last 24 hours. */
export function periodOf(query: unknown, now: number): Period {
  const { range, from, to } = query as Record<string, unknown>;
  const name = typeof range === "string" && Object.hasOwn(ranges, range) ? (range as RangeName) : "24h";
  const otherwise = (problem: string | null) => ({ ...aligned(now - ranges[name].ms, now, name), problem });
  if (from === undefined && to === undefined) return otherwise(null);
  const [begin, last] = [timeIn(from), timeIn(to)];
  if (begin === null || last === null) {
    const wrong = String((begin === null ? from : to) ?? "").slice(0, 100);
    return otherwise(`“${wrong}” is not a time. Write it in UTC, such as 2026-11-28T14:05.`);
  }
  const end = Math.min(last, now + stepMs);
  if (begin >= last) return otherwise("The period has to begin before it ends.");
  if (begin >= now) return otherwise("The period begins in the future.");
  return { ...aligned(Math.max(begin, end - ranges["90d"].ms), end, null), problem: null };
}

function aligned(from: number, to: number, range: RangeName | null): Omit<Period, "problem"> {
  const bucketMs = bucketSizes.find((ms) => (to - from) / ms <= mostBuckets) ?? dayMs;
  const end = Math.ceil(to / bucketMs) * bucketMs;
  const begin = range === null ? Math.floor(from / bucketMs) * bucketMs : end - ranges[range].ms;
  return { from: begin, to: Math.max(end, begin + bucketMs), bucketMs, range };
}

/** The query that leads to this period again. */
export function periodQuery({ range, from, to }: Period): string {
  return range === null ? `from=${formValue(from)}&to=${formValue(to)}` : `range=${range}`;
}

/** As a browser's field for a time writes it, in UTC. */
export function formValue(at: number): string {
  return new Date(at).toISOString().slice(0, 16);
}

function timeIn(value: unknown): number | null {
  if (typeof value !== "string" || !/^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(value)) return null;
  return parseTime(`${value}Z`);
}

/** Made once, because making one takes longer than a hundred uses. */
const format = new Intl.DateTimeFormat("en-GB", {
  ...({ day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" } as const),
  ...({ hourCycle: "h23", timeZone: "UTC" } as const),
});

/** `29 Nov, 10:00` in UTC. */
export function shortTime(at: number): string {
  return format.format(at);
}
