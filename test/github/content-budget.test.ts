import { expect, test } from "@jest/globals";
import { noLimits, takeContent } from "../../src/github/client/content-budget.ts";

const budget = { perMinute: 80, perHour: 500 };
const minuteMs = 60_000;
const hourMs = 3_600_000;

/** The times at which a greedy caller creates contents, when it tries every 100 ms for the given time. */
function greedily(ms: number, isUrgent: boolean): number[] {
  const created: number[] = [];
  let limits = noLimits;
  for (let now = 1_000_000; now < 1_000_000 + ms; now += 100) {
    for (;;) {
      const taken = takeContent(limits, budget, now, isUrgent);
      limits = taken.limits;
      if (taken.waitMs > 0) break;
      created.push(now);
    }
  }
  return created;
}

const most = (created: readonly number[], windowMs: number) =>
  Math.max(...created.map((end) => created.filter((at) => at > end - windowMs && at <= end).length));

test("the content budget never exceeds GitHub's limits per minute and per hour", () => {
  const created = greedily(3 * hourMs, true);
  expect(most(created, minuteMs)).toBeLessThanOrEqual(80);
  expect(most(created, hourMs)).toBeLessThanOrEqual(500);
  // Most of the limit can be used.
  expect(created.length).toBeGreaterThan(1_100);
});

test("the content budget serves a burst at once", () => {
  expect(greedily(100, false).length).toBeGreaterThanOrEqual(15);
});

test("the content budget reserves a share for merges", () => {
  const comments = greedily(100, false).length;
  expect(greedily(100, true).length).toBe(comments + 5);
});

test("the content budget returns a wait that is just long enough", () => {
  let limits = noLimits;
  let waitMs = 0;
  const now = 1_000_000;
  while (waitMs === 0) ({ limits, waitMs } = takeContent(limits, budget, now, false));
  expect(takeContent(limits, budget, now + waitMs - 100, false).waitMs).toBeGreaterThan(0);
  expect(takeContent(limits, budget, now + waitMs, false).waitMs).toBe(0);
});

test("the content budget ignores a limit that is not set", () => {
  const hourly = { perMinute: Number.POSITIVE_INFINITY, perHour: 500 };
  const taken = takeContent(noLimits, hourly, 1_000_000, false);
  expect(taken.waitMs).toBe(0);
  expect(taken.limits.hourTokens).toBe(124);
});
