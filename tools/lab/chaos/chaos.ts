import { parseArgs } from "node:util";
import { numberOption, wholeOption } from "../../command-options.ts";
import { describeRun } from "../demo/result.ts";
import { minPullRequests } from "../demo/scenario.ts";
import type { Experiment, ExperimentOptions, Report } from "../experiment.ts";
import { type DatabaseKind, databaseOption, databases } from "../postgres.ts";
import { type Configuration, configurationOption, configurations } from "../storm/run-storm.ts";
import { runChaos } from "./run-chaos.ts";

interface ChaosOptions extends ExperimentOptions {
  /** No run begins after this time. A run that has begun is finished. */
  readonly minutes: number;
  /** The first seed. */
  readonly from: number;
  /** How many runs at most; null = as many as the time permits. */
  readonly seeds: number | null;
  readonly prs: number;
  /** Null = consecutive seeds take turns. */
  readonly database: DatabaseKind | null;
  /** Null = consecutive seeds take turns. */
  readonly configuration: Configuration | null;
}

const usage = `Usage: npm run lab -- chaos [options]

Lets everything fail at once: GitHub, its webhooks, the service (killed at random; on PostgreSQL three of them), their clocks,
and the database (full, read-only, locked, cut off, down). Records what clients ask and are answered. At the end, GitHub and
the log must be as the truth demands, and nothing that was acknowledged may be lost.

  --minutes N          go on for so long (default 30); the last run is finished
  --seeds N            at most so many runs
  --from N             the first seed (default 1); a seed repeats the same faults
  --prs N              pull requests in each run (at least ${minPullRequests}, default 20)
  --database KIND      ${databases.join(" or ")} (default: they take turns)
  --configuration NAME one of ${Object.keys(configurations).join(", ")} (default: they take turns)
  --json               print each run as a line of JSON
  --help               print this`;

const known = {
  minutes: { type: "string", default: "30" },
  seeds: { type: "string" },
  from: { type: "string", default: "1" },
  prs: { type: "string", default: "20" },
  database: { type: "string" },
  configuration: { type: "string" },
  json: { type: "boolean", default: false },
} as const;

/** @throws an error that says what is wrong with the arguments */
export function parseChaosOptions(argv: readonly string[]): ChaosOptions {
  const { values } = parseArgs({ args: [...argv], options: known });
  const { database: name, configuration } = values;
  return {
    minutes: numberOption("minutes", values.minutes, 0, 10_000),
    from: wholeOption("from", values.from, 0, 2 ** 31),
    seeds: values.seeds === undefined ? null : wholeOption("seeds", values.seeds, 1, 100_000),
    prs: wholeOption("prs", values.prs, minPullRequests, 500),
    database: name === undefined ? null : databaseOption(name),
    configuration: configurationOption(configuration),
    json: values.json,
  };
}

async function play(options: ChaosOptions, report: Report): Promise<string> {
  const { from, prs, configuration } = options;
  const until = performance.now() + options.minutes * 60_000;
  let seed = from;
  do {
    const name = `seed ${seed}`;
    const run = await runChaos({
      ...{ seed, prs, configuration },
      database: options.database ?? databases[seed % databases.length] ?? "sqlite",
      ...{ kills: Math.ceil(prs / 5), concurrency: 6, patienceMs: 300_000 },
      progress: (text) => report.progress(`${name}, ${text}`),
    });
    const line = `${run.database}, ${run.configuration}, ${describeRun(run.result)}; ${run.operations} requests`;
    report.run({ name, line, violations: run.violations, json: run });
    seed += 1;
  } while (performance.now() < until && (options.seeds === null || seed < from + options.seeds));
  return `${seed - from} runs`;
}

/** Everything around the service fails at once. */
export const chaos: Experiment<ChaosOptions> = {
  ...{ name: "lab chaos", usage, known },
  parse: parseChaosOptions,
  play,
};
