import { describe, expect, test } from "@jest/globals";
import { fold } from "../../src/engine/evolve.ts";
import { type Forecast, forecast } from "../../src/engine/forecast/forecast.ts";
import { KaplanMeierEstimate } from "../../src/engine/forecast/kaplan-meier.ts";
import type { QueueSettings } from "../../src/engine/model/settings.ts";
import { deserializeState, serializeState } from "../../src/engine/snapshot.ts";
import { QueueHarness } from "./queue-harness.ts";

const minute = 60_000;

function forecastOf(queue: QueueHarness, pr: number): Forecast {
  const found = forecast(queue.state, queue.now).get(pr);
  if (!found) throw new Error(`no forecast for #${pr}`);
  return found;
}

/** A queue in which `count` pull requests merged, each tested for the given minutes. */
function experienced(count: number, minutes: (pr: number) => number, settings: Partial<QueueSettings> = {}) {
  const queue = new QueueHarness(settings);
  for (let pr = 1_001; pr <= 1_000 + count; pr++) {
    queue.submit(pr);
    queue.built(pr);
    queue.passesTime(minutes(pr));
    queue.passes(pr);
    queue.merges();
  }
  return queue;
}

describe("a forecast", () => {
  test("of a queue without history is a wide guess", () => {
    const queue = new QueueHarness();
    queue.submit(1);
    const { p50, p90 } = forecastOf(queue, 1);
    expect(p50).toBeGreaterThan(minute);
    expect(p90).toBeGreaterThan(2 * p50);
  });

  test("follows the duration of past tests and the time already spent", () => {
    const queue = experienced(20, () => 12);
    queue.submit(1);
    expect(forecastOf(queue, 1).p50 / minute).toBeCloseTo(12, 0);
    queue.built(1);
    queue.now += 9 * minute;
    expect(forecastOf(queue, 1).p50 / minute).toBeCloseTo(3, 0);
  });

  test("expects a test that is slower than all before it to take even longer", () => {
    const queue = experienced(20, () => 12);
    queue.submit(1);
    queue.built(1);
    queue.now += 30 * minute;
    expect(forecastOf(queue, 1).p50).toBeGreaterThan(5 * minute);
  });

  test("is later for pull requests further back, by about the time of the tests ahead", () => {
    const queue = experienced(20, () => 10);
    for (const pr of [1, 2, 3, 4, 5]) queue.submit(pr);
    const times = [1, 2, 3, 4, 5].map((pr) => forecastOf(queue, pr).p50 / minute);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(times[4]).toBeGreaterThan(40);
    expect(times[4]).toBeLessThan(70);
  });

  test("is at most a minute for a pull request that has passed with nothing ahead of it", () => {
    const queue = experienced(10, () => 10);
    queue.submit(1);
    queue.built(1);
    queue.passes(1);
    expect(forecastOf(queue, 1).p90).toBeLessThanOrEqual(minute);
  });

  test("includes the time until a retry", () => {
    const queue = experienced(20, () => 10);
    queue.submit(1);
    for (let attempt = 0; attempt < 4; attempt++) {
      queue.buildEnds(1, { kind: "infrastructure_error", message: "down" });
      if (attempt < 3) queue.passesTime(11);
    }
    const retryAt = queue.state.entries.get(1)?.retryAt ?? 0;
    expect(forecastOf(queue, 1).p50).toBeGreaterThan(retryAt - queue.now + 9 * minute);
  });

  test("is missing while test commits cannot be built and nothing else is tested, because nobody knows when that ends", () => {
    const queue = experienced(20, () => 10, { concurrency: 1 });
    queue.submit(1);
    for (let attempt = 1; attempt <= 5; attempt++) {
      expect(forecast(queue.state, queue.now).has(1)).toBe(true);
      queue.buildEnds(1, { kind: "infrastructure_error", message: "down" });
      if (attempt < 5) queue.passesTime(1);
    }
    expect(forecast(queue.state, queue.now).size).toBe(0);
    queue.passesTime(2);
    queue.submit(2);
    expect(forecast(queue.state, queue.now).size).toBe(0);
    queue.built(1);
    expect([...forecast(queue.state, queue.now).keys()]).toEqual([1, 2]);
  });

  test("is missing for a pull request that is not ready, or that a paused or draining queue keeps", () => {
    const queue = experienced(3, () => 10);
    queue.submit(1);
    queue.submit(2, { draft: true });
    expect([...forecast(queue.state, queue.now).keys()]).toEqual([1]);
    queue.configure({ status: "paused" });
    expect(forecast(queue.state, queue.now).size).toBe(0);
    queue.configure({ status: "draining" });
    queue.submit(3);
    expect([...forecast(queue.state, queue.now).keys()]).toEqual([1]);
  });

  test("does not learn from a long pause", () => {
    const queue = experienced(20, () => 10);
    for (const pr of [1, 2, 3, 4]) queue.submit(pr);
    queue.configure({ status: "paused" });
    queue.passesTime(600);
    queue.configure({ status: "running" });
    expect(forecastOf(queue, 4).p50 / minute).toBeLessThan(60);
    for (const pr of [1, 2, 3, 4]) {
      queue.built(pr);
      queue.passesTime(10);
      queue.passes(pr);
      queue.merges();
    }
    for (const pr of [5, 6, 7]) queue.submit(pr);
    expect(forecastOf(queue, 5).p90 / minute).toBeLessThan(20);
    expect(forecastOf(queue, 7).p90 / minute).toBeLessThan(60);
  });

  test("is the same from a log or a snapshot, and its history has a bounded size", () => {
    const queue = experienced(300, (pr) => 5 + (pr % 7), { concurrency: 2 });
    for (const pr of [1, 2, 3, 4]) queue.submit(pr);
    const here = [...forecast(queue.state, queue.now)];
    expect([...forecast(fold(queue.log), queue.now)]).toEqual(here);
    expect([...forecast(deserializeState(serializeState(queue.state)), queue.now)]).toEqual(here);
    expect(JSON.stringify(queue.state.history).length).toBeLessThan(8_000);
  });

  test("counts passed and failed tests with weights that fade", () => {
    const queue = experienced(5, () => 10);
    queue.submit(1);
    queue.built(1);
    queue.fails(1);
    expect(queue.state.history).toMatchObject({ failed: 1 });
    expect(queue.state.history.passed).toBeCloseTo(4.85, 1);
  });
});

describe("the Kaplan-Meier estimate", () => {
  test("of complete samples is their distribution", () => {
    const survival = new KaplanMeierEstimate([1, 2, 3, 4, 5, 6, 7, 8, 9, 10], []);
    expect(survival.quantile(0.5)).toBe(5);
    expect(survival.quantile(0.9)).toBe(9);
    expect(survival.quantile(0.5, 6)).toBe(8);
  });

  test("is later when some samples have not ended", () => {
    expect(new KaplanMeierEstimate([1, 2, 3, 4], [5, 5, 5, 5]).quantile(0.5)).toBe(4);
    expect(new KaplanMeierEstimate([1, 2, 3, 4], [5, 5, 5, 5]).quantile(0.9)).toBeGreaterThan(5);
  });
});
