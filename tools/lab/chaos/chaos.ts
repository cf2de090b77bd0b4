import { type KnownOptions, numberOption, type ValuesOf, wholeOption } from "../../command-options.ts";
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

const about = `Lets everything fail at once: GitHub, its webhooks, the service (killed at random; on PostgreSQL three of them), their clocks,
and the database (full, read-only, locked, cut off, down). Records what clients ask and are answered. At the end, GitHub and
the log must be as the truth demands, and nothing that was acknowledged may be lost.`;

const known = {
  minutes: { value: "n", default: "30", about: "go on for so long; the last run is finished" },
  seeds: { value: "n", about: "at most so many runs" },
  from: { value: "n", default: "1", about: "the first seed; a seed repeats the same faults" },
  prs: { value: "n", default: "20", about: `pull requests in each run (at least ${minPullRequests})` },
  database: { value: "kind", about: `${databases.join(" or ")} (default: they take turns)` },
  configuration: {
    value: "name",
    about: `one of ${Object.keys(configurations).join(", ")} (default: they take turns)`,
  },
  json: { about: "print each run as a line of JSON" },
} as const satisfies KnownOptions;

/** @throws an error that says what is wrong with the arguments */
function parse(values: ValuesOf<typeof known>): ChaosOptions {
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
export const chaos: Experiment<typeof known, ChaosOptions> = {
  about,
  known,
  parse,
  play,
};
