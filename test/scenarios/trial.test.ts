import { beforeAll, expect, test } from "@jest/globals";
import { playTrial } from "../../tools/demo/trial/trial.ts";

let results: Awaited<ReturnType<typeof playTrial>>;

/** Three repositories at once, since most of the time of each is waiting. */
beforeAll(async () => {
  results = await playTrial({ prs: 150, each: 50, seed: 1, atOnce: 3 }, () => {});
}, 1_800_000);

test("of 150 pull requests of every kind nothing good is evicted, nothing forbidden merges, and main is never red", () => {
  expect(results.flatMap(({ violations }) => violations)).toEqual([]);
  expect(results.reduce((sum, { pullRequests }) => sum + pullRequests, 0)).toBe(150);
});

test("most of them merge", () => {
  const merged = results.reduce((sum, result) => sum + result.merged, 0);
  expect(merged).toBeGreaterThan(75);
});
