import { parseArgs } from "node:util";
import { numberOption, wholeOption } from "../../command-options.ts";
import { type FaultKind, faultKinds } from "../../sandbox/faults/fault-plan.ts";
import { describeRun } from "../demo/result.ts";
import { minPullRequests } from "../demo/scenario.ts";
import type { Experiment, ExperimentOptions, Report } from "../experiment.ts";
import { configurationOption, configurations, runStorm, type StormOptions } from "./run-storm.ts";

interface StormSeries extends StormOptions, ExperimentOptions {
  readonly seeds: number;
  /** The first seed. */
  readonly from: number;
}

const usage = `Usage: npm run lab -- storm [options]

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
  --json               print each run as a line of JSON`;

const known = {
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

function parse(argv: readonly string[]): StormSeries {
  const { values } = parseArgs({ args: [...argv], options: known });
  return {
    seeds: wholeOption("seeds", values.seeds, 1, 100_000),
    from: wholeOption("from", values.from, 0, 2 ** 31),
    prs: wholeOption("prs", values.prs, minPullRequests, 500),
    kills: wholeOption("kills", values.kills, 0, 1_000),
    faults: numberOption("faults", values.faults, 0, 1),
    kinds: values.kinds === undefined ? null : values.kinds.split(",").map(kindOf),
    outageMinutes: numberOption("outage", values.outage, 0, 600),
    concurrency: wholeOption("concurrency", values.concurrency, 1, 100),
    configuration: configurationOption(values.configuration),
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

async function play(options: StormSeries, report: Report): Promise<string> {
  let [faults, seconds] = [0, 0];
  for (let seed = options.from; seed < options.from + options.seeds; seed++) {
    const progress = (text: string) => report.progress(`seed ${seed}, ${text}`);
    const { configuration, result, violations } = await runStorm(options, seed, { progress });
    const line = `${configuration}, ${describeRun(result)}`;
    report.run({ name: `seed ${seed}`, line, violations, json: { seed, configuration, ...result } });
    faults += sum(Object.values(result?.faults ?? {}));
    seconds += result?.seconds ?? 0;
  }
  return `${options.seeds} runs, ${faults} faults of GitHub, ${Math.round(seconds)} s`;
}

const sum = (counts: readonly number[]): number => counts.reduce((all, count) => all + count, 0);

/** The demo under faults, for many seeds. */
export const storm: Experiment<StormSeries> = { name: "lab storm", usage, known, parse, play };
