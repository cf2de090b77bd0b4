import { inSentences } from "../reasons/sentence.ts";

/** A time in which only urgent pull requests merge. Tests go on. */
export interface Freeze {
  /** Why, in the words of the repository file. */
  readonly reason: string;
  /** When it began, in milliseconds since the epoch. */
  readonly since: number;
  /** When merging goes on, in milliseconds since the epoch. */
  readonly until: number;
  /** The IANA name of the zone in which people read `until`. */
  readonly timeZone: string;
}

/** As a clause: `nothing but urgent pull requests merges into main until Mon, 30 Nov 2026, 08:00 (Europe/Berlin): Release weekend`. */
export function renderFreeze(freeze: Freeze, branch: string): string {
  const rule = `until then, only urgent pull requests merge into ${branch}`;
  return inSentences(`frozen until ${renderEnd(freeze)}`, `the reason: ${freeze.reason}`, rule);
}

/** The end of a freeze as a clock in its time zone shows it, with the zone's name. */
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
