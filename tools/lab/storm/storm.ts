import { type KnownOptions, numberOption, type ValuesOf, wholeOption } from "../../command-options.ts";
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

const about = `Runs the demo while GitHub fails in every way that it can, webhooks get lost, come late, twice, or out of order, and
the service is killed at random. At the end everything must be as the truth demands, and GitHub must show it.`;

const known = {
  seeds: {
    value: "n",
    default: "20",
    about: `how many runs; each seed has the next configuration: ${Object.keys(configurations).join(", ")}`,
  },
  from: { value: "n", default: "1", about: "the first seed" },
  configuration: { value: "name", about: "that one for all seeds" },
  prs: { value: "n", default: "100", about: `pull requests in each run (at least ${minPullRequests})` },
  kills: { value: "n", default: "10", about: "SIGKILLs of the service in each run" },
  faults: { value: "share", default: "0.1", about: "calls to GitHub that go wrong, 0 to 1" },
  kinds: { value: "list", about: `only faults of these kinds: ${faultKinds.join(",")}` },
  outage: {
    value: "minutes",
    default: "0",
    about: "GitHub cannot be reached at all for so long, in the middle of each run",
  },
  concurrency: { value: "n", default: "6", about: "tests at once" },
  patience: {
    value: "minutes",
    about:
      "if no pull request ends for so long, besides the outage, the remaining ones are stuck (default 5)",
  },
  json: { about: "print each run as a line of JSON" },
} as const satisfies KnownOptions;

function parse(values: ValuesOf<typeof known>): StormSeries {
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
export const storm: Experiment<typeof known, StormSeries> = { about, known, parse, play };
