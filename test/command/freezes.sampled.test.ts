import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { lastLocalTime, nextTime, parseCron } from "../../src/command/freezes/cron.ts";

import {
  type FreezeRule,
  freezeAt,
  nextFreezeChange,
  windowAt,
} from "../../src/command/freezes/freeze-rule.ts";

import { instantOf, localTimeOf, offsetAt } from "../../src/command/freezes/time-zone.ts";
import { parseRepositoryFile } from "../../src/command/parse-repository-file.ts";
import { draws, sampleOf } from "../sampled.ts";

const berlin = "Europe/Berlin";
const hour = 3_600_000;

function cron(text: string) {
  const parsed = parseCron(text);
  if ("problem" in parsed) throw new Error(parsed.problem);
  return parsed;
}

function lastTime(parsed: ReturnType<typeof cron>, zone: string, at: number): number | null {
  const local = lastLocalTime(parsed, zone, at);
  return local === null ? null : instantOf(zone, local);
}

const next = (text: string, after: string, zone = berlin) => {
  const found = nextTime(cron(text), zone, Date.parse(after));
  return found === null ? null : new Date(found).toISOString().slice(0, 16);
};

const last = (text: string, at: string, zone = berlin) => {
  const found = lastTime(cron(text), zone, Date.parse(at));
  return found === null ? null : new Date(found).toISOString().slice(0, 16);
};

function rules(text: string): readonly FreezeRule[] {
  const parsed = parseRepositoryFile(text);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  return parsed.file.freezes;
}

function freezeIn(text: string, at: string, branch = "main") {
  const found = freezeAt(rules(text), branch, Date.parse(at));
  return found && `${new Date(found.until).toISOString().slice(0, 16)} ${found.reason}`;
}

describe("a cron expression", () => {
  test("gives its next and its last time in a time zone", () => {
    expect(next("0 16 * * fri", "2026-11-25T00:00Z")).toBe("2026-11-27T15:00");
    expect(next("0 16 * * 5", "2026-11-27T15:00Z")).toBe("2026-12-04T15:00");
    expect(last("0 16 * * 5", "2026-11-27T15:00Z")).toBe("2026-11-27T15:00");
    expect(last("0 16 * * 5", "2026-11-27T14:59Z")).toBe("2026-11-20T15:00");
    expect(next("*/20 9-17/4 1,15 jan-mar *", "2026-02-15T16:41Z")).toBe("2026-03-01T08:00");
    expect(next("0 0 * * sat-sun", "2026-11-23T00:00Z", "UTC")).toBe("2026-11-28T00:00");
    expect(next("0 0 * * 7", "2026-11-23T00:00Z", "UTC")).toBe("2026-11-29T00:00");
  });

  test("with both day fields matches either, as in crontab", () => {
    expect(next("0 0 13 * fri", "2026-11-08T00:00Z", "UTC")).toBe("2026-11-13T00:00");
    expect(next("0 0 13 * fri", "2026-11-13T00:00Z", "UTC")).toBe("2026-11-20T00:00");
    expect(next("0 0 */2 * fri", "2026-11-07T00:00Z", "UTC")).toBe("2026-11-13T00:00");
  });

  test("matches 29 February, and never 30 February", () => {
    expect(next("0 0 29 2 *", "2096-03-01T00:00Z", "UTC")).toBe("2104-02-29T00:00");
    expect(next("0 0 30 2 *", "2026-01-01T00:00Z", "UTC")).toBeNull();
    expect(last("0 0 30 2 *", "2026-01-01T00:00Z", "UTC")).toBeNull();
  });

  test("matches a repeated hour once, and a skipped time when clocks skip it", () => {
    expect(next("30 2 * * *", "2026-10-24T12:00Z")).toBe("2026-10-25T00:30");
    expect(next("30 2 * * *", "2026-10-25T00:30Z")).toBe("2026-10-26T01:30");
    expect(next("30 2 * * *", "2026-03-28T12:00Z")).toBe("2026-03-29T01:00");
    expect(last("30 2 * * *", "2026-03-29T00:59Z")).toBe("2026-03-28T01:30");
  });

  const zones = [berlin, "UTC", "America/New_York", "Asia/Kathmandu", "Australia/Lord_Howe", "Africa/Cairo"];
  const instants = fc.integer({ min: Date.UTC(2024, 0, 1) / 60_000, max: Date.UTC(2030, 0, 1) / 60_000 });
  const list = (min: number, max: number) =>
    fc.uniqueArray(fc.integer({ min, max }), { minLength: 1, maxLength: 3 }).map((values) => values.join());
  const expressions = fc
    .tuple(list(0, 59), list(0, 23), fc.oneof(fc.constant("*"), list(1, 28)), fc.constant("*"), list(0, 6))
    .map((fields) => fields.join(" "));

  test("gives the same times as a minute-by-minute search in any time zone", () => {
    fc.assert(
      fc.property(expressions, instants, fc.constantFrom(...zones), (text, minutes, zone) => {
        const parsed = cron(text);
        const at = minutes * 60_000;
        const found = nextTime(parsed, zone, at) ?? 0;
        const clock = new Date(localTimeOf(zone, found));
        const isSkipped = instantOf(zone, clock.getTime() - hour / 2) === instantOf(zone, clock.getTime());
        if (!isSkipped && parsed.minutes.includes(clock.getUTCMinutes()))
          expect([...parsed.hours, ...parsed.hours.map((one) => one + 1)]).toContain(clock.getUTCHours());
        for (let time = found - 60_000; time > Math.max(at, found - 6 * hour); time -= 60_000)
          expect(isTime(parsed, zone, time)).toBe(false);
        expect(lastTime(parsed, zone, found)).toBe(found);
        expect(lastTime(parsed, zone, found - 1) ?? 0).toBeLessThanOrEqual(at);
      }),
      { numRuns: draws(300) },
    );
  });

  /** Whether the local time matches and occurs for the first time. */
  function isTime(parsed: ReturnType<typeof cron>, zone: string, time: number): boolean {
    const local = localTimeOf(zone, time);
    const clock = new Date(local);
    const isDay = parsed.isEitherDay
      ? parsed.daysOfMonth.includes(clock.getUTCDate()) || parsed.daysOfWeek.includes(clock.getUTCDay())
      : parsed.daysOfMonth.includes(clock.getUTCDate()) && parsed.daysOfWeek.includes(clock.getUTCDay());
    return (
      isDay &&
      parsed.hours.includes(clock.getUTCHours()) &&
      parsed.minutes.includes(clock.getUTCMinutes()) &&
      instantOf(zone, local) === time
    );
  }
});

describe("a freeze over a change of clocks", () => {
  const berlinNight = (from: string, until: string) =>
    `freezes: [{ reason: Night, from: "${from}", until: "${until}", timeZone: Europe/Berlin }]`;

  test("does not last until the next day when clocks skip its time", () => {
    expect(freezeIn(berlinNight("0 2 * * *", "0 3 * * *"), "2026-03-29T01:00Z")).toBeNull();
    expect(freezeIn(berlinNight("30 2 * * *", "15 3 * * *"), "2026-03-29T01:00Z")).toBe(
      "2026-03-29T01:15 Night",
    );
    expect(freezeIn(berlinNight("30 2 * * *", "15 3 * * *"), "2026-03-29T01:15Z")).toBeNull();
    expect(freezeIn(berlinNight("0 2 * * *", "0 3 * * *"), "2026-03-30T00:30Z")).toBe(
      "2026-03-30T01:00 Night",
    );
  });

  test("is never longer than its rule says, in all time zones and ten years", () => {
    const seen = new Set<string>();
    for (const zone of sampleOf(Intl.supportedValuesOf("timeZone"), 60)) {
      const found = changesOf(zone);
      const key = JSON.stringify(found);
      if (seen.has(key)) continue;
      seen.add(key);
      for (const [at, shift] of found) {
        for (const [from, until, ms] of [
          ["15,45 0-4 * * *", "20,50 * * * *", hour / 12],
          ["0 2 * * *", "0 3 * * *", hour],
          ["30 2 * * *", "15 3 * * *", 0.75 * hour],
          ["0 22 * * *", "0 6 * * *", 8 * hour],
        ] as const) {
          const schedule = { kind: "recurring", from: cron(from), until: cron(until) } as const;
          const rule = { reason: "", timeZone: zone, branches: null, schedule };
          for (let time = at - 3 * hour; time <= at + 3 * hour; time += hour / 2) {
            const window = windowAt(rule, time);
            const length = window === null ? 0 : window.until - window.from;
            // Clocks that are set back show the times within the window twice.
            expect([zone, from, length <= ms + Math.max(0, -shift)]).toEqual([zone, from, true]);
          }
        }
      }
    }
    expect(seen.size).toBeGreaterThan(5);
  });

  /** When clocks are set in ten years, and by how much, in milliseconds. */
  function changesOf(zone: string): [at: number, shift: number][] {
    const step = 21 * 24 * hour;
    const changes: [number, number][] = [];
    let offset = offsetAt(zone, Date.UTC(2026, 0, 1));
    for (let week = Date.UTC(2026, 0, 1); week < Date.UTC(2036, 0, 1); week += step) {
      const after = offsetAt(zone, week + step);
      if (after === offset) continue;
      let [from, to] = [week, week + step];
      while (to - from > 60_000) {
        const middle = Math.floor((from + to) / 120_000) * 60_000;
        if (offsetAt(zone, middle) === offset) from = middle;
        else to = middle;
      }
      changes.push([to, after - offset]);
      offset = after;
    }
    return changes;
  }
});

const weekend = `freezes:
  - reason: Weekend
    from: "0 16 * * fri"
    until: "0 8 * * mon"
    timeZone: Europe/Berlin
`;

describe("freezes", () => {
  test("repeat weekly, also across clock changes", () => {
    expect(freezeIn(weekend, "2026-11-27T14:59Z")).toBeNull();
    expect(freezeIn(weekend, "2026-11-27T15:00Z")).toBe("2026-11-30T07:00 Weekend");
    expect(freezeIn(weekend, "2026-11-30T06:59Z")).toBe("2026-11-30T07:00 Weekend");
    expect(freezeIn(weekend, "2026-11-30T07:00Z")).toBeNull();
    expect(freezeIn(weekend, "2026-10-24T00:00Z")).toBe("2026-10-26T07:00 Weekend");
    expect(freezeIn(weekend, "2026-03-28T00:00Z")).toBe("2026-03-30T06:00 Weekend");
  });

  test("occur once between given times, with an offset or in their time zone", () => {
    const text = `freezes:
  - { reason: Audit, from: 2026-12-24, until: "2027-01-02 06:30", timeZone: America/New_York }
  - { reason: Move, from: 2026-06-01T10:00:00Z, until: 2026-06-01T14:00+02:00 }
  - { reason: Written by a program, from: 2026-07-01T10:00:00.250Z, until: 2026-07-01T12:00:00.000Z }
`;
    expect(freezeIn(text, "2026-12-24T04:59Z")).toBeNull();
    expect(freezeIn(text, "2026-12-24T05:00Z")).toBe("2027-01-02T11:30 Audit");
    expect(freezeIn(text, "2026-06-01T11:00Z")).toBe("2026-06-01T12:00 Move");
    expect(freezeIn(text, "2026-06-01T12:00Z")).toBeNull();
    expect(freezeIn(text, "2026-07-01T10:00:00.249Z")).toBeNull();
    expect(freezeIn(text, "2026-07-01T10:00:00.250Z")).toBe("2026-07-01T12:00 Written by a program");
  });

  test("apply only to their branches", () => {
    const text = `${weekend}    branches: ["release/**", "!release/next"]\n`;
    const at = "2026-11-28T00:00Z";
    expect(freezeIn(text, at, "release/1")).not.toBeNull();
    expect([freezeIn(text, at, "main"), freezeIn(text, at, "release/next")]).toEqual([null, null]);
  });

  test("that adjoin or overlap are combined", () => {
    const text = `${weekend}  - { reason: Monday, from: "0 6 * * mon", until: "0 12 * * mon" }\n`;
    expect(freezeIn(text, "2026-11-28T00:00Z")).toBe("2026-11-30T12:00 Weekend");
    expect(freezeIn(text, "2026-11-30T06:30Z")).toBe("2026-11-30T12:00 Monday");
  });

  test("change only at the announced times", () => {
    const of = rules(`${weekend}  - { reason: Noon, from: "0 11 * * *", until: "30 12 * * *" }\n`);
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 60 * 24 * 400 }),
        fc.double({ min: 0, max: 1 }),
        (minutes, share) => {
          const at = Date.UTC(2026, 0, 1) + minutes * 60_000;
          const change = nextFreezeChange(of, "main", at) ?? 0;
          expect(change).toBeGreaterThan(at);
          const before = Math.floor(at + (change - 1 - at) * (share || 0));
          expect(freezeAt(of, "main", before)).toEqual(freezeAt(of, "main", at));
        },
      ),
      { numRuns: draws(200) },
    );
    expect(nextFreezeChange([], "main", 0)).toBeNull();
  });
});

describe("an invalid freeze is reported with a suggestion:", () => {
  const entry = (keys: string) => `freezes:\n  - reason: R\n    ${keys.split("; ").join("\n    ")}\n`;

  test.each<[keys: string, line: number, key: string, message: RegExp]>([
    [
      'from: "0 16 * *"; until: "0 8 * * 1"',
      3,
      "from",
      /^needs five fields: .* write a cron expression such as/,
    ],
    [
      'from: "0 24 * * 5"; until: "0 8 * * 1"',
      3,
      "from",
      /^has "24" as the hour; write \*, a number from 0 to 23/,
    ],
    [
      'from: "0 16 * * friday"; until: "0 8 * * 1"',
      3,
      "from",
      /"friday" as the day of the week; .* sun to sat/,
    ],
    [
      'from: "0 16 * * fri-mon"; until: "0 8 * * 1"',
      3,
      "from",
      /"fri-mon" .* from a smaller value to a larger/,
    ],
    ['from: "5/10 16 * * 5"; until: "0 8 * * 1"', 3, "from", /^has a step without a range, "5\/10"/],
    ['from: "*/0 16 * * 5"; until: "0 8 * * 1"', 3, "from", /^has "\*\/0" as the minute/],
    ['from: "0 16 * * 5"; until: 64h', 4, "until", /^needs five fields/],
    ['from: "0 16 30 2 *"; until: "0 8 * * 1"', 3, "from", /^never happens/],
    ['from: "0 16 * * 5"; until: "0 8 31 4 *"', 4, "until", /^never happens/],
    ['from: "0 8 * * 1"; until: "0 8 * * 1"', 4, "until", /^leaves no time to merge/],
    ['from: "0 8 * * *"; until: "0 8 * * 1"', 4, "until", /^leaves no time to merge/],
    ['from: "0 16 * * 5"; until: 2026-12-24', 4, "until", /^must be a cron expression if `from` is one/],
    ["from: 2026-02-30; until: 2026-12-24", 3, "from", /^is not a time/],
    ["from: 2026-12-24T25:00; until: 2026-12-25", 3, "from", /^is not a time/],
    ["from: 2026-12-24; until: 2026-12-24", 4, "until", /^must be later than `from`$/],
    [
      "from: 2026-12-24; until: 2026-12-25; timeZone: Europe/Berln",
      5,
      "timeZone",
      /did you mean Europe\/Berlin\?/,
    ],
    [
      "from: 2026-12-24; until: 2026-12-25; timeZone: home",
      5,
      "timeZone",
      /^is not a time zone; write a name such as/,
    ],
    [
      "from: 2026-12-24; until: 2026-12-25; branch: [main]",
      5,
      "branch",
      /^is unknown; did you mean branches\?$/,
    ],
    ["from: 2026-12-24", 2, "until", /^is required$/],
  ])("%s", (keys, line, key, message) => {
    expect(parseRepositoryFile(entry(keys))).toEqual({
      ok: false,
      path: ".github/trainyard.yml",
      problems: [{ line, key: `freezes.0.${key}`, message: expect.stringMatching(message) }],
    });
  });
});
