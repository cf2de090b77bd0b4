import { expect, test } from "@jest/globals";
import { runEndurance } from "../../tools/lab/endurance/endurance.ts";
import { type GrowthSample, judgeGrowth } from "../../tools/lab/endurance/measure-service.ts";

test("a service that merges wave after wave keeps neither work, branches nor file handles", async () => {
  const ended: number[] = [];
  const { samples, violations } = await runEndurance({
    pullRequests: 20,
    wave: 5,
    onSample: (sample) => ended.push(sample.ended),
  });
  expect(violations).toEqual([]);
  expect(ended).toEqual([5, 10, 15, 20]);
  const last = samples.at(-1);
  expect(last?.heap).toBeGreaterThan(10_000_000);
  expect(last?.fileHandles).toBeGreaterThan(5);
  expect(last?.rows.get("entries")).toBe(20);
});

const sample = (ended: number, given: Partial<GrowthSample> = {}): GrowthSample => ({
  ...{ ended, heap: 80e6, resident: 200e6, fileHandles: 50, database: 1e6, branches: [] },
  rows: new Map([
    ["events", ended * 20],
    ["outbox", 0],
  ]),
  ...given,
});
const course = (at: (ended: number) => Partial<GrowthSample>) =>
  judgeGrowth(Array.from({ length: 11 }, (_, index) => sample(index * 100 + 100, at(index * 100 + 100))));

test("tables that grow with the pull requests are no violation", () => {
  expect(course(() => ({}))).toEqual([]);
});

test("memory and file handles that grow with the pull requests are violations", () => {
  expect(course((ended) => ({ heap: 80e6 + ended * 40_000 }))).toEqual([
    "the heap grew from 92.0 MB to 124.0 MB",
  ]);
  expect(course((ended) => ({ fileHandles: ended }))).toEqual(["file handles grew from 300 to 1100"]);
});

test("a table that grows faster than the pull requests is a violation", () => {
  expect(course((ended) => ({ rows: new Map([["heads", ended ** 2 / 100]]) }))).toEqual([
    "heads grew by 10.0 rows for each pull request, and later by 18.0",
  ]);
});

test("work and branches that are left behind are violations", () => {
  expect(
    judgeGrowth([sample(5), sample(10, { rows: new Map([["outbox", 1]]), branches: ["temp"] })]),
  ).toEqual(
    expect.arrayContaining([
      "after 10 pull requests, 1 rows were left in outbox",
      "after 10 pull requests, the branch temp was left",
    ]),
  );
});
