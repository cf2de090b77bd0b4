import type { QueueSettings } from "../../src/engine/model/settings.ts";
import { parseQueueChanges } from "../../src/replay/engine-run/queue-settings.ts";
import type { WorkloadSettings } from "../../src/replay/workload/workload.ts";
import type { KnownOptions, ValuesOf } from "../command-options.ts";
import { type PolicyName, policyNames } from "./run-policy.ts";
import { type PresetName, presets, type WorkloadModel } from "./workload/model.ts";

export interface SimulateOptions {
  readonly source: { readonly file: string } | { readonly preset: PresetName };
  /** Overrides the preset's model. */
  readonly model: Partial<WorkloadModel>;
  /** Overrides the settings of the file. */
  readonly overrides: Partial<WorkloadSettings>;
  /** Settings for the queue; null = the recommended ones. */
  readonly queue: Partial<QueueSettings> | null;
  readonly policies: readonly PolicyName[];
  readonly perPullRequest: boolean;
  readonly save: string | null;
  readonly grid: boolean;
  readonly smallGrid: boolean;
  readonly picture: string | null;
  readonly seeds: readonly number[];
  readonly json: boolean;
}

export const about = `Presets:
${Object.entries(presets)
  .map(([name, { about }]) => `  ${name.padEnd(11)} ${about}`)
  .join("\n")}`;

export const known = {
  workload: { value: "file", about: "a workload as JSON Lines" },
  preset: { value: "name", about: "a generated one, see below (default github)" },
  seed: { value: "n", about: "another draw of the same (default 1)" },
  rate: { value: "n", about: "pull requests per hour" },
  hours: { value: "n", about: "for how long they come" },
  workers: { value: "n", about: "how many runs at once" },
  minutes: { value: "n", about: "the median duration of a test" },
  bad: { value: "p", about: "the share of bad pull requests" },
  flake: { value: "p", about: "the share of runs that go red for nothing" },
  share: { value: "p", about: "how likely two pull requests share a target" },
  all: { value: "p", about: "the share of pull requests that impact every target" },
  hidden: { value: "p", about: "how likely two pull requests conflict that share no target" },
  queue: {
    value: "json",
    about:
      "fields of updateQueue; the others are a new queue's, but with a slot for each worker, and in the preset's mode. Default: batches, optimistic merging, pendingFailureDepth 1",
  },
  policy: { value: "names", about: `one or several of ${policyNames.join(", ")} (default ours)` },
  seeds: { value: "n,n", about: "the seeds of a grid (default 1,2,3)" },
  save: { value: "file", about: "write the workload there" },
  "per-pr": { about: "what became of each pull request, too" },
  grid: {
    about:
      "100, 200, 300, 500 PRs/h on 100, 200, 400 workers against the oracle; --rate and --workers keep it to one of them",
  },
  "small-grid": {
    about:
      "small teams: 1 to 20 PRs/h on 1 to 8 slots, tests of 30 seconds to 90 minutes, in both modes, against plain rules, a queue like GitHub's, and the oracle",
  },
  picture: { value: "file", about: "with --small-grid: write a heat map there (SVG)" },
  json: { about: "print the results as JSON, one object a line" },
} as const satisfies KnownOptions;

/** @throws an error that says what is wrong with the arguments */
export function parseOptions(values: ValuesOf<typeof known>): SimulateOptions {
  const overrides = defined({
    seed: whole("seed", values.seed, 0),
    workers: whole("workers", values.workers, 1),
    flakeRate: share("flake", values.flake),
  });
  const minutes = positive("minutes", values.minutes);
  const model = defined({
    minutes:
      minutes === undefined
        ? undefined
        : { ...presets[preset(values.preset)].model.minutes, median: minutes },
    rate: positive("rate", values.rate),
    hours: positive("hours", values.hours),
    bad: share("bad", values.bad),
    pairShare: share("share", values.share),
    allShare: share("all", values.all),
    hiddenConflictShare: share("hidden", values.hidden),
  });
  if (values.workload !== undefined && (values.preset !== undefined || Object.keys(model).length > 0)) {
    throw new Error("--workload says everything about the pull requests; leave out what generates others.");
  }
  if (values.picture !== undefined && !values["small-grid"])
    throw new Error("--picture shows the grid of small teams; add --small-grid.");
  if (values.grid && values.workload !== undefined) throw new Error("--grid generates its own workloads.");
  return {
    source: values.workload === undefined ? { preset: preset(values.preset) } : { file: values.workload },
    model: { ...model, ...overrides },
    overrides,
    queue: values.queue === undefined ? null : queue(values.queue),
    policies: policies(values.policy ?? (values.grid ? "ours,submitqueue,optimistic" : "ours")),
    perPullRequest: values["per-pr"],
    save: values.save ?? null,
    grid: values.grid,
    smallGrid: values["small-grid"],
    picture: values.picture ?? null,
    seeds: (values.seeds ?? "1,2,3").split(",").map((seed) => whole("seeds", seed, 0) ?? 0),
    json: values.json,
  };
}

function preset(name = "github"): PresetName {
  const known = (Object.keys(presets) as PresetName[]).find((one) => one === name);
  if (known) return known;
  throw new Error(`There is no preset "${name}". There are: ${Object.keys(presets).join(", ")}.`);
}

function policies(names: string): PolicyName[] {
  return names.split(",").map((name) => {
    const known = policyNames.find((one) => one === name);
    if (known) return known;
    throw new Error(`There is no policy "${name}". There are: ${policyNames.join(", ")}.`);
  });
}

function queue(text: string): Partial<QueueSettings> {
  const changes = parseQueueChanges(text);
  if ("problem" in changes) throw new Error(changes.problem);
  return changes;
}

function whole(name: string, text: string | undefined, least: number): number | undefined {
  return number(
    name,
    text,
    `a whole number of ${least} or more`,
    (n) => Number.isSafeInteger(n) && n >= least,
  );
}

function positive(name: string, text: string | undefined): number | undefined {
  return number(name, text, "a number above 0", (n) => n > 0 && n < Number.POSITIVE_INFINITY);
}

function share(name: string, text: string | undefined): number | undefined {
  return number(name, text, "a share from 0 to 1", (n) => n >= 0 && n <= 1);
}

function number(
  name: string,
  text: string | undefined,
  wanted: string,
  fits: (value: number) => boolean,
): number | undefined {
  if (text === undefined) return undefined;
  const value = text.trim() === "" ? Number.NaN : Number(text);
  if (fits(value)) return value;
  throw new Error(`--${name} must be ${wanted}, not "${text}".`);
}

type Defined<T> = { [Key in keyof T]?: Exclude<T[Key], undefined> };

function defined<T extends object>(fields: T): Defined<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<T>;
}
