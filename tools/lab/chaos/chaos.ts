import { type KnownOptions, numberOption, type ValuesOf, wholeOption } from "../../command-options.ts";
import { draw, drawBetween } from "../../sandbox/seeded-draw.ts";
import { describeRun } from "../demo/result.ts";
import type { RunningDemo } from "../demo/run-demo.ts";
import { minPullRequests } from "../demo/scenario.ts";
import { fullName } from "../demo/set-up-repository.ts";
import { type Counts, pausesUntil } from "../disturbances.ts";
import type { Experiment, ExperimentOptions, Report } from "../experiment.ts";
import { type DatabaseKind, databaseOption, databases } from "../postgres.ts";
import {
  type Configuration,
  configurationOption,
  configurations,
  runStorm,
  type StormPace,
  type StormRun,
} from "../storm/storm.ts";
import { createDisturbedServices, type DisturbedServices } from "./disturbed-services.ts";
import { checkHistory, History, type LogRow, readLog } from "./history.ts";

interface ChaosOptions extends ExperimentOptions {
  /** No run begins after this time. A run in progress is finished. */
  readonly minutes: number;
  /** The first seed. */
  readonly from: number;
  /** The maximum number of runs; null = as many as the time permits. */
  readonly seeds: number | null;
  readonly prs: number;
  /** Null = consecutive seeds use them in turn. */
  readonly database: DatabaseKind | null;
  /** Null = consecutive seeds use them in turn. */
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
export const chaos: Experiment<typeof known, ChaosOptions> = { about, known, parse, play };

interface ChaosPlan {
  readonly seed: number;
  readonly prs: number;
  readonly database: DatabaseKind;
  /** Null = consecutive seeds use consecutive configurations. */
  readonly configuration: Configuration | null;
  /** SIGKILLs of a service. */
  readonly kills: number;
  readonly concurrency: number;
  readonly patienceMs: number;
  readonly pace?: Partial<ChaosPace>;
  readonly progress?: (text: string) => void;
}

interface ChaosPace extends StormPace {
  /** How long each failure of the database lasts, from and to. */
  readonly storeFailsMs: readonly [number, number];
  /** The time between two failures, from and to. */
  readonly storeWorksMs: readonly [number, number];
  /** The error of a clock, from and to. */
  readonly clockMs: readonly [number, number];
  /** How long the error lasts, from and to. */
  readonly clockLastsMs: readonly [number, number];
}

export interface ChaosRun extends StormRun {
  readonly database: DatabaseKind;
  /** Requests to the service's API. */
  readonly operations: number;
}

const defaultPace = {
  storeFailsMs: [500, 6_000],
  storeWorksMs: [1_000, 6_000],
  clockLastsMs: [500, 10_000],
} as const;

/** Replicas use the time of their database. A single service has only its own clock, which may end waits too early. */
const clockMs = { sqlite: [-20_000, 20_000], postgres: [-600_000, 600_000] } as const;

/** The share of calls to GitHub that fail. */
const callsThatFail = 0.1;

/** Runs the storm once with failing databases and clocks, and also judges it by the answers that clients got. */
export async function runChaos(plan: ChaosPlan): Promise<ChaosRun> {
  const { seed, prs, database, configuration, kills, concurrency, patienceMs, progress } = plan;
  const pace = { ...defaultPace, clockMs: clockMs[database], ...plan.pace };
  await using services = await createDisturbedServices(database, seed);
  const history = new History();
  let log: readonly LogRow[] = [];
  const storm = await runStorm(
    { ...{ prs, kills, concurrency, configuration, patienceMs }, ...stormOptions },
    seed,
    {
      ...plan.pace,
      ...(progress ? { progress } : {}),
      more: {
        // While the database fails, commands are found late.
        graceMs: 120_000,
        fetch: history.fetch,
        submitsByApi: (number) => number % 3 === 0,
        deploy: (place) => services.deploy(place),
        disturbances: [
          (demo) => failStore(demo, services, { seed, pace }),
          (demo) => moveClocks(demo, services, { seed, pace }),
        ],
        judges: [
          async ({ sandbox }) => {
            log = await readLog(services.databaseUrl);
            const base = (await sandbox.historyOf(fullName, "main")).merges;
            const found = checkHistory({ operations: history.operations, log, base });
            return [...found, ...(await services.findDoubleClaims())];
          },
        ],
      },
    },
  );
  const violations = storm.violations.filter((text) => database === "postgres" || !isOfClock.test(text));
  if (violations.length > 0) {
    const lines = log.map((row) => `${JSON.stringify(row)}\n`).join("");
    const kept = await services.keep("events.jsonl", lines);
    (progress ?? console.error)(`the log of the queue is in ${kept}`);
  }
  return { ...storm, violations, database, operations: history.operations.length };
}

/** A single service has only its own clock. If that is ahead, a wait ends too early, and GitHub refuses again. */
const isOfClock = /before the rate limit ends/;

const stormOptions = { faults: callsThatFail, kinds: null, outageMinutes: 0 } as const;

interface Trouble {
  readonly seed: number;
  readonly pace: Pick<ChaosPace, "storeFailsMs" | "storeWorksMs" | "clockMs" | "clockLastsMs">;
}

/** Makes the database fail repeatedly, each time in another way. */
async function failStore(
  { finished }: Pick<RunningDemo, "finished">,
  { storeFaults }: DisturbedServices,
  { seed, pace }: Trouble,
): Promise<Counts> {
  const counts: Record<string, number> = {};
  const { pause, isOver } = pausesUntil(finished);
  const first = Math.floor(draw(seed, "store fault") * storeFaults.length);
  for (let number = 0; ; number++) {
    await pause(drawBetween(seed, pace.storeWorksMs, "store works", number));
    const fault = storeFaults[(first + number) % storeFaults.length];
    if (isOver() || !fault) return counts;
    await fault.strike(() => pause(drawBetween(seed, pace.storeFailsMs, "store fails", number)));
    const name = `database ${fault.name}`;
    counts[name] = (counts[name] ?? 0) + 1;
  }
}

/** Moves each clock away and back, repeatedly. */
async function moveClocks(
  { finished }: Pick<RunningDemo, "finished">,
  services: DisturbedServices,
  { seed, pace }: Trouble,
): Promise<Counts> {
  const { pause, isOver } = pausesUntil(finished);
  let jumps = 0;
  const move = async (service: number) => {
    for (let number = 0; !isOver(); number++) {
      await pause(drawBetween(seed, pace.clockLastsMs, "clock is right", service, number));
      services.setClock(service, Math.round(drawBetween(seed, pace.clockMs, "clock", service, number)));
      await pause(drawBetween(seed, pace.clockLastsMs, "clock is wrong", service, number));
      services.setClock(service, 0);
      jumps += 2;
    }
  };
  await Promise.all(Array.from({ length: services.services }, (_, service) => move(service)));
  return { clockJumps: jumps };
}
