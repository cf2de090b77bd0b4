import { beforeAll, expect, test } from "@jest/globals";
import { playTrial } from "../../tools/lab/trial/trial.ts";

let results: Awaited<ReturnType<typeof playTrial>>;

/** Plays three repositories at once, because each of them mostly waits. */
beforeAll(async () => {
  results = await playTrial({ prs: 75, each: 25, seed: 1, atOnce: 3 }, () => {});
}, 1_800_000);

test("a trial of 75 pull requests of every kind evicts no good one, merges no forbidden one, and never breaks main", () => {
  expect(results.flatMap(({ violations }) => violations)).toEqual([]);
  expect(results.reduce((sum, { pullRequests }) => sum + pullRequests, 0)).toBe(75);
});

test("a trial of 75 pull requests merges most of them", () => {
  const merged = results.reduce((sum, result) => sum + result.merged, 0);
  expect(merged).toBeGreaterThan(37);
});
