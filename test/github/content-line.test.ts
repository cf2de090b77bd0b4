import { expect, test } from "@jest/globals";
import { noLimits, takeContent } from "../../src/github/client/content-budget.ts";
import { ContentLine } from "../../src/github/client/content-line.ts";

test("contents that come again at the time they were told are almost all permitted then", () => {
  const budget = { perMinute: 80, perHour: Number.POSITIVE_INFINITY };
  const line = new ContentLine();
  let limits = noLimits;
  let attempts = 0;
  const due = Array.from({ length: 100 }, () => 1_000_000);
  while (due.length > 0) {
    const now = due.sort((a, b) => a - b).shift() ?? 0;
    const taken = takeContent(limits, budget, now, false);
    limits = taken.limits;
    attempts += 1;
    if (taken.waitMs > 0) due.push(now + line.join(taken, now));
  }
  expect(attempts).toBeLessThan(200);
});

test("contents do not come again at the same time, and none is told to wait for more than five minutes", () => {
  const line = new ContentLine();
  const waits = Array.from({ length: 40 }, () => line.join({ waitMs: 4_000, everyMs: 10_000 }, 1_000_000));
  expect(waits.slice(0, 3)).toEqual([4_000, 14_000, 24_000]);
  expect(Math.max(...waits)).toBe(300_000);
});

test("the budget is not asked again before the time at which it permits the next content", () => {
  const line = new ContentLine();
  expect(line.refusal(1_000_000)).toBeNull();
  line.join({ waitMs: 4_000, everyMs: 10_000 }, 1_000_000);
  expect(line.refusal(1_003_000)).toEqual({ waitMs: 1_000, everyMs: 10_000 });
  expect(line.refusal(1_004_000)).toBeNull();
});

test("a line that everybody has left does not delay the next content", () => {
  const line = new ContentLine();
  line.join({ waitMs: 4_000, everyMs: 10_000 }, 1_000_000);
  expect(line.join({ waitMs: 2_000, everyMs: 10_000 }, 2_000_000)).toBe(2_000);
});
