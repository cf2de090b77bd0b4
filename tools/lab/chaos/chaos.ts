import { between, oneOf, type ValuesOf, whole } from "../../command-options.ts";
import { describeRun } from "../demo/result.ts";
import { minPullRequests } from "../demo/scenario.ts";
import { type Experiment, jsonOption, type Report } from "../experiment.ts";
import { databases } from "../postgres.ts";
import { configurationNames } from "../storm/run-storm.ts";
import { runChaos } from "./run-chaos.ts";

const usage = `Usage: npm run lab -- chaos [options]

Lets everything fail at once: GitHub, its webhooks, the service (killed at random; on PostgreSQL three of them), their clocks,
and the database (full, read-only, locked, cut off, down). Records what clients ask and are answered. At the end, GitHub and
the log must be as the truth demands, and nothing that was acknowledged may be lost.

  --minutes N          go on for so long (default 30); the last run is finished
  --seeds N            at most so many runs
  --from N             the first seed (default 1); a seed repeats the same faults
  --prs N              pull requests in each run (at least ${minPullRequests}, default 20)
  --database KIND      ${databases.join(" or ")} (default: they take turns)
  --configuration NAME one of ${configurationNames.join(", ")} (default: they take turns)
  --json               print each run as a line of JSON
  --help               print this`;

const options = {
  /** No run begins after this time. A run that has begun is finished. */
  minutes: between(30, 0, 10_000),
  from: whole(1, 0, 2 ** 31),
  /** Null = as many as the time permits. */
  seeds: whole(null, 1, 100_000),
  prs: whole(20, minPullRequests, 500),
  database: oneOf(databases, null),
  configuration: oneOf(configurationNames, null),
  ...jsonOption,
};

async function play(given: ValuesOf<typeof options>, report: Report): Promise<string> {
  const { from, prs, configuration } = given;
  const until = performance.now() + given.minutes * 60_000;
  let seed = from;
  do {
    const name = `seed ${seed}`;
    const run = await runChaos({
      ...{ seed, prs, configuration },
      database: given.database ?? databases[seed % databases.length] ?? "sqlite",
      ...{ kills: Math.ceil(prs / 5), concurrency: 6, patienceMs: 300_000 },
      progress: (text) => report.progress(`${name}, ${text}`),
    });
    const line = `${run.database}, ${run.configuration}, ${describeRun(run.result)}; ${run.operations} requests`;
    report.run({ name, line, violations: run.violations, json: run });
    seed += 1;
  } while (performance.now() < until && (given.seeds === null || seed < from + given.seeds));
  return `${seed - from} runs`;
}

/** Everything around the service fails at once. */
export const chaos: Experiment<typeof options> = { name: "lab chaos", usage, options, play };
