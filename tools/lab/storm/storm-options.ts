import { parseArgs } from "node:util";
import { numberOption, wholeOption } from "../../command-options.ts";
import { type FaultKind, faultKinds } from "../../sandbox/faults/fault-plan.ts";
import { minPullRequests } from "../demo/scenario.ts";
import { type Configuration, configurations, isConfiguration } from "./configurations.ts";

export interface StormOptions {
  readonly seeds: number;
  /** The first seed. */
  readonly from: number;
  readonly prs: number;
  /** SIGKILLs of the service in each run. */
  readonly kills: number;
  /** The share of the service's calls that fail. */
  readonly faults: number;
  /** Null = all kinds. */
  readonly kinds: readonly FaultKind[] | null;
  /** How long GitHub is unreachable in the middle of each run. */
  readonly outageMinutes: number;
  readonly concurrency: number;
  /** Null = consecutive seeds use consecutive configurations. */
  readonly configuration: Configuration | null;
  /** If no pull request ends for so long, besides the outage, the remaining ones are stuck. */
  readonly patienceMs: number;
  readonly json: boolean;
}

export const usage = `Usage: npm run storm -- [options]

Runs the demo while GitHub fails in every way that it can, webhooks get lost, come late, twice, or out of order, and
the service is killed at random. At the end everything must be as the truth demands, and GitHub must show it.

  --seeds N            how many runs (default 20); each seed has the next configuration:
                       ${Object.keys(configurations).join(", ")}
  --from N             the first seed (default 1)
  --configuration NAME that one for all seeds
  --prs N              pull requests in each run (at least ${minPullRequests}, default 100)
  --kills N            SIGKILLs of the service in each run (default 10)
  --faults SHARE       calls to GitHub that go wrong, 0 to 1 (default 0.1)
  --kinds LIST         only faults of these kinds: ${faultKinds.join(",")}
  --outage MINUTES     GitHub cannot be reached at all for so long, in the middle of each run (default 0)
  --concurrency N      tests at once (default 6)
  --patience MINUTES   if no pull request ends for so long, besides the outage, the remaining ones are stuck (default 5)
  --json               print each run, and the summary, as a line of JSON`;

/** The options by name. */
export const known = {
  seeds: { type: "string", default: "20" },
  from: { type: "string", default: "1" },
  configuration: { type: "string" },
  prs: { type: "string", default: "100" },
  kills: { type: "string", default: "10" },
  faults: { type: "string", default: "0.1" },
  kinds: { type: "string" },
  outage: { type: "string", default: "0" },
  concurrency: { type: "string", default: "6" },
  patience: { type: "string" },
  json: { type: "boolean", default: false },
} as const;

/** @throws an error that says what is wrong with the arguments */
export function parseStormOptions(argv: readonly string[]): StormOptions {
  const { values } = parseArgs({
    args: [...argv],
    options: known,
  });
  const { configuration = null } = values;
  if (configuration !== null && !isConfiguration(configuration))
    throw new Error(`--configuration must be one of ${Object.keys(configurations).join(", ")}.`);
  const prs = wholeOption("prs", values.prs, minPullRequests, 500);
  return {
    seeds: wholeOption("seeds", values.seeds, 1, 100_000),
    from: wholeOption("from", values.from, 0, 2 ** 31),
    prs,
    kills: wholeOption("kills", values.kills, 0, 1_000),
    faults: numberOption("faults", values.faults, 0, 1),
    kinds: values.kinds === undefined ? null : values.kinds.split(",").map(kindOf),
    outageMinutes: numberOption("outage", values.outage, 0, 600),
    concurrency: wholeOption("concurrency", values.concurrency, 1, 100),
    configuration,
    patienceMs:
      values.patience === undefined ? 300_000 : numberOption("patience", values.patience, 0.1, 600) * 60_000,
    json: values.json,
  };
}

function kindOf(name: string): FaultKind {
  const kind = faultKinds.find((known) => known === name);
  if (kind) return kind;
  throw new Error(`--kinds must be some of ${faultKinds.join(",")}.`);
}
