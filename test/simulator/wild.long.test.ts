import { describe, expect, test } from "@jest/globals";
import { defaultSettings, type QueueSettings } from "../../src/engine/model/settings.ts";
import { runEngine } from "../../src/replay/engine-run/engine-run.ts";
import { generateWorkload } from "../../tools/simulator/workload/generate-workload.ts";
import { presets } from "../../tools/simulator/workload/model.ts";

const { model } = presets.wild;
const byLoad = { batch: true, batchSizing: "by_load" } as const;

describe("a wild workload", () => {
  const workload = generateWorkload(model);
  const { pullRequests, cancellations, outages = [] } = workload;
  const share = (count: number) => count / pullRequests.length;

  test("has the requested shares, bursts and outages", () => {
    expect(generateWorkload(model)).toEqual(workload);
    const urgent = pullRequests.filter(({ priority }) => priority === 0);
    expect(Math.abs(share(urgent.length) - 0.05)).toBeLessThan(0.05);
    const named = pullRequests.filter(({ targets }) => targets !== "ALL");
    const hot = named.filter(({ targets }) => targets.includes("hot"));
    expect(Math.abs(hot.length / named.length - 0.3)).toBeLessThan(0.1);
    expect(Math.abs(share(cancellations.length) - 0.2)).toBeLessThan(0.1);
    expect(pullRequests.length).toBeGreaterThan(model.rate * model.hours);
    expect(outages).toEqual([{ from: 480, to: 540 }]);
    const inBurst = pullRequests.filter(({ at }) => at >= 720 && at < 750).length;
    expect(inBurst).toBeGreaterThan(5 * (model.rate / 2));
  });

  test.each([
    { mode: "single", policy: "adaptive", ...byLoad },
    { mode: "parallel", policy: "adaptive", ...byLoad },
    { mode: "parallel", policy: "fixed" },
    { mode: "single", policy: "beliefs", ...byLoad },
    { mode: "parallel", policy: "beliefs" },
  ] as Partial<QueueSettings>[])(
    "is decided completely and never breaks the base with the settings %j",
    (settings) => {
      const all = { ...defaultSettings, concurrency: 8, bisectionConcurrency: 8, ...settings };
      for (const faults of [{}, { bad: 0.25, flakeRate: 0.1 }]) {
        const outcome = runEngine(generateWorkload({ ...model, ...faults, hours: 12 }), all);
        expect(outcome.violations).toEqual([]);
        expect(outcome.broken).toBe(0);
        expect(outcome.pullRequests.filter(({ ending }) => ending === null)).toEqual([]);
      }
    },
  );

  test("loses good pull requests to an outage with the policy fixed only", () => {
    const removed = (policy: QueueSettings["policy"], outageMinutes: number) => {
      const { wild } = model;
      const calm = { ...model, bad: 0, flakeRate: 0, wild: { ...wild, outageMinutes } };
      const settings = { ...defaultSettings, mode: "single", concurrency: 5, policy } as const;
      const { pullRequests: ended } = runEngine(generateWorkload(calm), settings);
      return ended.reduce((sum, one) => sum + one.falseRejections, 0);
    };
    expect([removed("adaptive", 0), removed("fixed", 0)]).toEqual([0, 0]);
    expect(removed("adaptive", 60)).toBe(0);
    expect(removed("fixed", 60)).toBeGreaterThan(0);
  });
});

test.each([
  { minutes: 0.5, mode: "single", slots: 2 },
  { minutes: 0.5, mode: "parallel", slots: 8 },
  { minutes: 2, mode: "single", slots: 8 },
  { minutes: 2, mode: "parallel", slots: 2 },
  { minutes: 5, mode: "parallel", slots: 8 },
  { minutes: 25, mode: "single", slots: 2 },
  { minutes: 25, mode: "single", slots: 8 },
  { minutes: 25, mode: "parallel", slots: 4 },
  { minutes: 25, mode: "parallel", slots: 16 },
] as const)(
  "an hour's outage removes no good pull request, and costs few tests, with the tests and slots %j",
  ({ minutes, mode, slots }) => {
    const { model: base } = presets.outage;
    const settings = { ...defaultSettings, ...byLoad, mode, concurrency: slots };
    const play = (seed: number, outageMinutes: number) => {
      const fine = { ...base, seed, workers: slots, flakeRate: 0 };
      const tests = { ...base.minutes, median: minutes };
      const wild = { ...base.wild, outageMinutes };
      const { pullRequests: ended } = runEngine(
        generateWorkload({ ...fine, minutes: tests, wild }),
        settings,
      );
      return {
        removed: ended.reduce((sum, one) => sum + one.falseRejections, 0),
        testsEach: ended.reduce((sum, one) => sum + one.runs, 0) / ended.length,
      };
    };
    for (const seed of [31, 32]) {
      const [calm, outage] = [play(seed, 0), play(seed, 60)];
      expect({ seed, removed: outage.removed }).toEqual({ seed, removed: 0 });
      expect(outage.testsEach - calm.testsEach).toBeLessThan(2.5);
    }
  },
);
