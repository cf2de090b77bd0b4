import { beforeAll, expect, test } from "@jest/globals";
import { Command } from "commander";
import { chaos } from "../../tools/lab/chaos/chaos.ts";
import { type ChaosRun, runChaos } from "../../tools/lab/chaos/run-chaos.ts";
import { defineExperiment } from "../../tools/lab/experiment.ts";

/** Without batches, whose last members would wait a minute. `npm run lab -- chaos` also has batches. */
const plans = [
  { database: "sqlite", configuration: "merge_commit", seed: 201 },
  { database: "postgres", configuration: "lanes", seed: 202 },
] as const;

let runs: ChaosRun[];

/** Plays both at once, because each of them mostly waits. */
beforeAll(async () => {
  runs = await Promise.all(
    plans.map((plan) =>
      runChaos({
        ...plan,
        ...{ prs: 12, kills: 2, concurrency: 4, patienceMs: 600_000 },
        pace: {
          ...{ ciDurationMs: [150, 400], killEveryMs: [1_500, 5_000], latencyMs: [200, 2_000] },
          ...{ storeFailsMs: [500, 3_000], storeWorksMs: [1_000, 4_000] },
        },
      }),
    ),
  );
}, 1_200_000);

test.each(plans)("nothing is lost while everything fails at once ($database)", ({ database }) => {
  const run = runs.find((one) => one.database === database);
  expect(run).toMatchObject({ violations: [] });
  expect(run?.result).toMatchObject({ prs: 12, baseCommitsRed: 0, disturbances: { kills: 2 } });
  expect(run?.result?.disturbances.clockJumps).toBeGreaterThan(0);
});

test("the databases have failed in several ways", () => {
  for (const { result } of runs) {
    const ways = Object.keys(result?.disturbances ?? {}).filter((name) => name.startsWith("database "));
    expect(ways.length).toBeGreaterThan(2);
  }
});

test.each([
  [["--database", "oracle"], "--database must be sqlite or postgres."],
  [["--prs", "3"], '--prs must be a whole number from 12 to 500, not "3".'],
  [["--configuration", "train"], /^--configuration must be one of merge_commit/],
])("an option that makes no sense is refused: %j", (argv, message) => {
  const command = new Command().exitOverride().configureOutput({ writeErr() {} });
  defineExperiment(command, chaos);
  return expect(command.parseAsync(argv, { from: "user" })).rejects.toThrow(message);
});
