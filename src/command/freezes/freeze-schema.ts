import * as z from "zod";
import { parseCron } from "./cron.ts";
import { type FreezeRule, type FreezeSchedule, leavesTime, nextStart } from "./freeze-rule.ts";
import { instantOf, timeZoneProblem } from "./time-zone.ts";

const howToWrite =
  'write a cron expression such as "0 16 * * fri", or a time such as 2026-12-24T18:00, which is in the time zone unless it ends with an offset';

const point = z.string().trim().min(1).max(200);

/** An entry of `freezes`. Converts it to a rule, or refuses it with a text that says what to write instead. */
export const freezeRule = z
  .strictObject({
    reason: z
      .string()
      .trim()
      .min(1)
      .max(200)
      .describe("Why nothing merges; shown on every pull request that waits."),
    from: point.describe("When it begins: a cron expression of five fields, or a time."),
    until: point.describe(
      "When it ends: a cron expression whose next time after the beginning counts, or a time.",
    ),
    timeZone: z
      .string()
      .trim()
      .max(100)
      .default("UTC")
      .describe("The IANA name of the time zone of `from` and `until`, such as Europe/Berlin."),
    branches: z
      .array(z.string().trim().min(1).max(1_024))
      .min(1)
      .max(100)
      .optional()
      .describe("Patterns of the branches that it applies to, as in a workflow's `branches`. Absent: all."),
  })
  .transform(({ reason, from, until, timeZone, branches }, context): FreezeRule => {
    const refuse = (key: string, message: string) => {
      context.addIssue({ code: "custom", path: [key], message });
      return z.NEVER;
    };
    const zoneProblem = timeZoneProblem(timeZone);
    if (zoneProblem !== null) return refuse("timeZone", zoneProblem);
    const [begin, end] = [readPoint(from, timeZone), readPoint(until, timeZone)];
    if ("problem" in begin) return refuse("from", begin.problem);
    if ("problem" in end) return refuse("until", end.problem);
    const schedule = scheduleOf(begin, end);
    if (schedule === null)
      return refuse("until", "must be a cron expression if `from` is one, and a time if `from` is one");
    const rule = { reason, timeZone, branches: branches ?? null, schedule };
    const fault = faultOf(rule);
    return fault ? refuse(...fault) : rule;
  });

type Point =
  | { readonly cron: Extract<FreezeSchedule, { kind: "recurring" }>["from"] }
  | { readonly time: number };

function readPoint(text: string, timeZone: string): Point | { readonly problem: string } {
  if (/^\d{4}-/.test(text)) {
    const time = readTime(text, timeZone);
    return time === null ? { problem: `is not a time; ${howToWrite}` } : { time };
  }
  const cron = parseCron(text);
  return "problem" in cron ? { problem: `${cron.problem}; ${howToWrite}` } : { cron };
}

/** Reads a date, or a date and a time. Without an offset, it is in the time zone. Returns null for other text. */
function readTime(text: string, timeZone: string): number | null {
  const found = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)(Z|[+-]\d\d:\d\d)?)?$/.exec(
    text,
  );
  if (!found) return null;
  const [, date = "", clock = "00:00", offset] = found;
  const local = Date.parse(`${date}T${clock}Z`);
  // JavaScript reads 30 February as 1 March.
  if (Number.isNaN(local) || new Date(local).toISOString().slice(0, 10) !== date) return null;
  if (offset === undefined) return instantOf(timeZone, local);
  const instant = Date.parse(`${date}T${clock}${offset}`);
  return Number.isNaN(instant) ? null : instant;
}

function scheduleOf(from: Point, until: Point): FreezeSchedule | null {
  if ("cron" in from && "cron" in until) return { kind: "recurring", from: from.cron, until: until.cron };
  if ("time" in from && "time" in until) return { kind: "once", from: from.time, until: until.time };
  return null;
}

function faultOf(rule: FreezeRule): [key: string, message: string] | null {
  const { schedule } = rule;
  if (schedule.kind === "once")
    return schedule.until > schedule.from ? null : ["until", "must be later than `from`"];
  for (const key of ["from", "until"] as const) {
    const comes = nextStart({ ...rule, schedule: { ...schedule, from: schedule[key] } }, 0);
    if (comes === null) return [key, "never happens: no date matches its day, month and day of the week"];
  }
  if (leavesTime(rule)) return null;
  return [
    "until",
    "leaves no time to merge: each window lasts until the next one begins. Let it come between two times of `from`",
  ];
}
