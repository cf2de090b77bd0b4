import { expect, test } from "@jest/globals";
import { ContentLine, noLimits, takeContent } from "../../src/github/client/content-budget.ts";

test("contents that come again at the time they were told are almost all permitted then", () => {
  const budget = { perMinute: 80, perHour: Number.POSITIVE_INFINITY };
  const line = new ContentLine();
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
    if (taken.waitMs > 0) due.push({ name, at: now + line.join(name, taken, now) });
  }
  expect(attempts).toBeLessThan(200);
});

test("contents do not come again at the same time, and none is told to wait for more than five minutes", () => {
  const line = new ContentLine();
  const waits = Array.from({ length: 40 }, (_, number) =>
    line.join(`${number}`, { waitMs: 4_000, everyMs: 10_000 }, 1_000_000),
  );
  expect(waits.slice(0, 3)).toEqual([4_000, 14_000, 24_000]);
  expect(Math.max(...waits)).toBe(300_000);
});

test("the budget is not asked again before the time at which it permits the next content", () => {
  const line = new ContentLine();
  expect(line.refusal(1_000_000)).toBeNull();
  line.join("one", { waitMs: 4_000, everyMs: 10_000 }, 1_000_000);
  expect(line.refusal(1_003_000)).toEqual({ waitMs: 1_000, everyMs: 10_000 });
  expect(line.refusal(1_004_000)).toBeNull();
});

test("a line that everybody has left does not delay the next content", () => {
  const line = new ContentLine();
  line.join("one", { waitMs: 4_000, everyMs: 10_000 }, 1_000_000);
  expect(line.join("one", { waitMs: 2_000, everyMs: 10_000 }, 2_000_000)).toBe(2_000);
});

test("a content that asks before its turn keeps its place, and nobody else waits longer for that", () => {
  const line = new ContentLine();
  const leave = { waitMs: 4_000, everyMs: 10_000 };
  expect(line.join("one", leave, 1_000_000)).toBe(4_000);
  expect(line.join("two", leave, 1_000_000)).toBe(14_000);
  for (const now of [1_001_000, 1_002_000, 1_003_000])
    expect(line.join("two", { ...leave, waitMs: 1_004_000 - now }, now)).toBe(1_014_000 - now);
  expect(line.join("three", { ...leave, waitMs: 1_000 }, 1_003_000)).toBe(21_000);
  line.leave("two");
  expect(line.join("two", { ...leave, waitMs: 1_000 }, 1_003_000)).toBe(31_000);
});
