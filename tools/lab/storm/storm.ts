import { inspect } from "node:util";
import { type KnownOptions, numberOption, type ValuesOf, wholeOption } from "../../command-options.ts";
import { type FaultKind, faultKinds, sidesOf } from "../../sandbox/faults/fault-plan.ts";
import { drawBetween } from "../../sandbox/seeded-draw.ts";
import { tellProgress } from "../demo/follow-entries.ts";
import { type DemoResult, describeRun } from "../demo/result.ts";
import { type DemoOptions, type RunningDemo, runDemo } from "../demo/run-demo.ts";
import { minPullRequests } from "../demo/scenario.ts";
import { type Counts, killAtRandom, pausesUntil } from "../disturbances.ts";
import type { Experiment, ExperimentOptions, Report } from "../experiment.ts";
import { LateApprovals } from "./late-approvals.ts";

type Queue = Pick<DemoOptions, "mergeMethod" | "mergeBy" | "mode" | "batch">;

/** The queue configurations that are tried. */
export const configurations = {
  merge_commit: { mergeMethod: "merge_commit", mode: "single", batch: false },
  squash: { mergeMethod: "squash", mode: "single", batch: false },
  parallel: { mergeMethod: "merge_commit", mode: "parallel", batch: true },
  lanes: { mergeMethod: "merge_commit", mode: "parallel", batch: false },
  parallel_squash: { mergeMethod: "squash", mode: "parallel", batch: true },
  rebase: { mergeMethod: "rebase", mode: "single", batch: false },
  async: { mergeMethod: "merge_commit", mergeBy: "async_api", mode: "single", batch: false },
  async_squash: { mergeMethod: "squash", mergeBy: "async_api", mode: "parallel", batch: false },
} as const satisfies Record<string, Queue>;

export type Configuration = keyof typeof configurations;

const names = Object.keys(configurations) as Configuration[];

/** @throws an error that lists the configurations, when there is none with this name */
export function configurationOption(name: string | undefined): Configuration | null {
  const known = names.find((one) => one === name);
  if (name !== undefined && !known) throw new Error(`--configuration must be one of ${names.join(", ")}.`);
  return known ?? null;
}

/** Consecutive seeds use consecutive configurations. */
const configurationOf = (seed: number): Configuration => names[seed % names.length] ?? "merge_commit";

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

export const storm: Experiment<typeof known, StormSeries> = { about, known, parse, play };

export interface StormOptions {
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
  /** If no pull request ends for this time, apart from the outage, the remaining ones are stuck. */
  readonly patienceMs: number;
}

export interface StormRun {
  readonly seed: number;
  readonly configuration: string;
  /** Null when the run broke off, which is a violation. */
  readonly result: DemoResult | null;
  readonly violations: readonly string[];
}

export interface StormPace {
  readonly ciDurationMs: readonly [number, number];
  /** The time between two kills, from and to. */
  readonly killEveryMs: readonly [number, number];
  readonly latencyMs: readonly [number, number];
  /** How long GitHub takes for an asynchronous merge. */
  readonly asyncMergeMs: readonly [number, number];
  /** How long GitHub may take at the end to show the true state. */
  readonly tidyMs: number;
}

const defaultPace: StormPace = {
  ciDurationMs: [200, 600],
  killEveryMs: [2_000, 14_000],
  latencyMs: [500, 20_000],
  asyncMergeMs: [40, 8_000],
  tidyMs: 90_000,
};

/** Further faults, besides those of GitHub, its webhooks and the service. */
type MoreTrouble = Partial<
  Pick<DemoOptions, "deploy" | "fetch" | "submitsByApi" | "graceMs" | "disturbances" | "judges">
>;

const webhooks = { duplicate: 0.1, reorder: 0.2, delayMs: [0, 1_500] } as const;
const dropWebhooks = 0.1;

const stateLabels = {
  testing: "queue: testing",
  merged: "queue: merged",
  failed: "queue: failed",
  cancelled: "queue: cancelled",
};

/** A run takes minutes, so failed work is retried after seconds. */
const settings = {
  TRAINYARD_RECONCILE_MS: "4000",
  TRAINYARD_PUBLISH_MS: "400",
  TRAINYARD_LEASE_MS: "3000",
};

/** Runs the demo once with faults in everything around the service, and judges its outcome. */
export async function runStorm(
  options: StormOptions,
  seed: number,
  {
    progress = () => {},
    more = {},
    ...given
  }: Partial<StormPace> & { progress?: (text: string) => void; more?: MoreTrouble } = {},
): Promise<StormRun> {
  const pace = { ...defaultPace, ...given };
  const configuration = options.configuration ?? configurationOf(seed);
  const { kills, concurrency, outageMinutes, kinds } = options;
  const { disturbances = [], judges = [], ...changed } = more;
  const approvals = new LateApprovals(seed);
  const refusesQueries = options.faults > 0 && (kinds?.includes("query_errors") ?? true);
  try {
    const result = await runDemo({
      ...configurations[configuration],
      passedPerUpload: 4,
      ...{ pullRequests: options.prs, seed, concurrency, port: null },
      watch: (demo) => tellProgress(demo, progress),
      disturbances: [
        killAtRandom({ kills, seed, everyMs: pace.killEveryMs }),
        (demo) => outage(demo, options),
        (demo) => injectEachKind(demo, options),
        (demo) => approvals.approve(demo),
        ...(refusesQueries ? [(demo: RunningDemo) => approvals.refuseQueries(demo)] : []),
        ...disturbances,
      ],
      judges: [(demo) => approvals.judge(demo), ...judges],
      asyncMergeMs: drawBetween(seed, pace.asyncMergeMs, "asynchronous merge"),
      ...{ ciDurationMs: pace.ciDurationMs, dropWebhooks, webhooks, stateLabels, settings },
      faults: {
        ...{ rate: options.faults, latencyMs: [...pace.latencyMs], lastsMs: [0, 300] },
        ...{ staleMs: [200, 5_000], baseModifiedMs: [0, 4_000] },
        ...(kinds ? { kinds: Object.fromEntries(kinds.map((kind) => [kind, 1])) } : {}),
      },
      patienceMs: options.patienceMs + outageMinutes * 60_000,
      tidyMs: pace.tidyMs,
      // The webhook may be lost, and the calls that find the comment may fail several times.
      graceMs: 180_000 + outageMinutes * 60_000,
      ...changed,
    });
    return { seed, configuration, result, violations: result.violations };
  } catch (error) {
    return { seed, configuration, result: null, violations: [`the run broke off: ${inspect(error)}`] };
  }
}

/** Makes GitHub unreachable for some time in the middle of the run. */
async function outage(
  { sandbox, finished }: RunningDemo,
  { outageMinutes, prs }: StormOptions,
): Promise<Counts> {
  if (outageMinutes === 0) return {};
  const { pause, isOver } = pausesUntil(finished);
  await pause(prs * 300);
  sandbox.faults.outage(true);
  await pause(outageMinutes * 60_000);
  // After a kill, the service may not have made a call yet.
  while (!sandbox.faults.count().outage && !isOver()) await pause(100);
  sandbox.faults.outage(false);
  return { outages: 1 };
}

const betweenKindsMs = 250;

/** Injects each kind of fault once on each side, because a short run may have too few calls to draw all of them. */
async function injectEachKind(
  { sandbox, finished }: RunningDemo,
  { kinds, faults }: StormOptions,
): Promise<Counts> {
  if (faults === 0) return {};
  const { pause, isOver } = pausesUntil(finished);
  for (const kind of kinds ?? faultKinds) {
    for (const side of sidesOf[kind]) {
      await pause(betweenKindsMs);
      if (isOver()) return {};
      sandbox.faults.next({ kind, side });
    }
  }
  return {};
}
