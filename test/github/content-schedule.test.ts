import { expect, test } from "@jest/globals";
import { ContentSchedule, noLimits, takeContent } from "../../src/github/client/content-budget.ts";

test("contents that come again at the time they were told are almost all permitted then", () => {
  const budget = { perMinute: 80, perHour: Number.POSITIVE_INFINITY };
  const schedule = new ContentSchedule();
  let limits = noLimits;
  let attempts = 0;
  const due = Array.from({ length: 100 }, (_, number) => ({ name: `${number}`, at: 1_000_000 }));
  for (;;) {
    const next = due.sort((a, b) => a.at - b.at).shift();
    if (!next) break;
    const { name, at: now } = next;
    const taken = takeContent(limits, budget, now, false);
    limits = taken.limits;
    attempts += 1;
    if (taken.waitMs > 0) due.push({ name, at: now + schedule.addRefused(name, taken, now) });
  }
  expect(attempts).toBeLessThan(200);
});

test("contents do not come again at the same time, and none is told to wait for more than five minutes", () => {
  const schedule = new ContentSchedule();
  const waits = Array.from({ length: 40 }, (_, number) =>
    schedule.addRefused(`${number}`, { waitMs: 4_000, everyMs: 10_000 }, 1_000_000),
  );
  expect(waits.slice(0, 3)).toEqual([4_000, 14_000, 24_000]);
  expect(Math.max(...waits)).toBe(300_000);
});

test("the budget is not asked again before the time at which it permits the next content", () => {
  const schedule = new ContentSchedule();
  expect(schedule.refusal(1_000_000)).toBeNull();
  schedule.addRefused("one", { waitMs: 4_000, everyMs: 10_000 }, 1_000_000);
  expect(schedule.refusal(1_003_000)).toEqual({ waitMs: 1_000, everyMs: 10_000 });
  expect(schedule.refusal(1_004_000)).toBeNull();
});

test("a line that everybody has left does not delay the next content", () => {
  const schedule = new ContentSchedule();
  schedule.addRefused("one", { waitMs: 4_000, everyMs: 10_000 }, 1_000_000);
  expect(schedule.addRefused("one", { waitMs: 2_000, everyMs: 10_000 }, 2_000_000)).toBe(2_000);
});

test("a content that asks before its turn keeps its place, and nobody else waits longer because of that", () => {
  const schedule = new ContentSchedule();
  const leave = { waitMs: 4_000, everyMs: 10_000 };
  expect(schedule.addRefused("one", leave, 1_000_000)).toBe(4_000);
  expect(schedule.addRefused("two", leave, 1_000_000)).toBe(14_000);
  for (const now of [1_001_000, 1_002_000, 1_003_000])
    expect(schedule.addRefused("two", { ...leave, waitMs: 1_004_000 - now }, now)).toBe(1_014_000 - now);
  expect(schedule.addRefused("three", { ...leave, waitMs: 1_000 }, 1_003_000)).toBe(21_000);
  schedule.remove("two");
  expect(schedule.addRefused("two", { ...leave, waitMs: 1_000 }, 1_003_000)).toBe(31_000);
});
