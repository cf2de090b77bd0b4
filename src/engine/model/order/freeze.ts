import { inSentences } from "../../reasons/sentence.ts";

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
