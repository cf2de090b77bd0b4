import { parseArgs } from "node:util";
import { numberOption, wholeOption } from "../../command-options.ts";
import { type DatabaseKind, databases } from "../crash/open-database.ts";
import { minPullRequests } from "../demo/scenario.ts";
import { type Configuration, configurations, isConfiguration } from "../storm/configurations.ts";

export interface ChaosOptions {
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
  readonly json: boolean;
}

export const usage = `Usage: npm run chaos -- [options]

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

export const known = {
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
  const { database = null, configuration = null, json } = values;
  if (database !== null && !isDatabase(database))
    throw new Error(`--database must be ${databases.join(" or ")}.`);
  if (configuration !== null && !isConfiguration(configuration))
    throw new Error(`--configuration must be one of ${Object.keys(configurations).join(", ")}.`);
  return {
    minutes: numberOption("minutes", values.minutes, 0, 10_000),
    from: wholeOption("from", values.from, 0, 2 ** 31),
    seeds: values.seeds === undefined ? null : wholeOption("seeds", values.seeds, 1, 100_000),
    prs: wholeOption("prs", values.prs, minPullRequests, 500),
    ...{ database, configuration, json },
  };
}

const isDatabase = (name: string): name is DatabaseKind => (databases as readonly string[]).includes(name);
