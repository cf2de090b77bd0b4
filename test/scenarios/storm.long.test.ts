import { beforeAll, expect, test } from "@jest/globals";
import { type Configuration, runStorm, type StormRun } from "../../tools/lab/storm/storm.ts";
import { faultKinds } from "../../tools/sandbox/faults/fault-plan.ts";

/** Storms without batches, whose last members would wait a minute. `npm run lab -- storm` also has batches, `test/lab/chaos.long.test.ts` lanes. */
const storms: readonly (readonly [Configuration, number])[] = [
  ["merge_commit", 101],
  ["squash", 102],
];

let runs: StormRun[];

/** Plays all storms at once, because each of them mostly waits. */
beforeAll(async () => {
  runs = await Promise.all(storms.map(([configuration, seed]) => play(configuration, seed)));
}, 1_200_000);

function play(configuration: Configuration, seed: number): Promise<StormRun> {
  const options = { configuration, prs: 14, kills: 2, faults: 0.1, kinds: faultKinds };
  return runStorm({ ...options, outageMinutes: 0.1, concurrency: 4, patienceMs: 600_000 }, seed, {
    ciDurationMs: [150, 400],
    killEveryMs: [1_500, 5_000],
    latencyMs: [200, 2_000],
  });
}

test.each(storms)("a storm over %s ends with the right outcomes on GitHub", (configuration) => {
  const run = runs.find((one) => one.configuration === configuration);
  expect(run).toMatchObject({ violations: [] });
  expect(run?.result).toMatchObject({ prs: 14, baseCommitsRed: 0, disturbances: { kills: 2 } });
});

test("a storm has every kind of fault", () => {
  const labels = new Set(runs.flatMap(({ result }) => Object.keys(result?.faults ?? {})));
  const twoSided = ["500", "502", "reset", "latency"].flatMap((kind) => [`${kind}_before`, `${kind}_after`]);
  const oneSided = [
    "cut",
    "shape",
    "unauthorized",
    "forbidden",
    "not_found",
    "rate_limited",
    "stale",
    "outage",
  ];
  expect([...labels]).toEqual(expect.arrayContaining([...twoSided, ...oneSided]));
});
