import type { QueueSettings } from "../../src/engine/model/settings.ts";
import { parseQueueChanges } from "../../src/replay/engine-run/queue-settings.ts";
import type { WorkloadSettings } from "../../src/replay/workload/workload.ts";
import {
  flag,
  number,
  oneOf,
  option,
  seedList,
  someOf,
  text,
  type ValuesOf,
  whole,
} from "../command-options.ts";
import { policyNames } from "./run-policy.ts";
import { type Preset, type PresetName, presets, type WorkloadModel } from "./workload/model.ts";

export const usage = `Usage: npm run simulate -- [--workload FILE | --preset NAME --seed N] [options]

  --workload FILE   a workload as JSON Lines
  --preset NAME     a generated one (default github):
${Object.entries(presets)
  .map(([name, { about }]) => `                      ${name.padEnd(11)} ${about}`)
  .join("\n")}
  --seed N          another draw of the same (default 1)
  --rate N, --hours N, --workers N
                    pull requests per hour, for how long, and how many runs at once
  --minutes N       the median duration of a test
  --bad P, --flake P
                    the share of bad pull requests, and of runs that go red for nothing
  --share P         how likely two pull requests share a target
  --all P           the share of pull requests that impact every target
  --hidden P        how likely two pull requests conflict that share no target
  --queue JSON      fields of updateQueue; the others are a new queue's, but with a slot for each worker, and in
                    the preset's mode. Default: batches, optimistic merging, pendingFailureDepth 1
  --policy NAMES    one or several of ${policyNames.join(", ")} (default ours)
  --per-pr          what became of each pull request, too
  --save FILE       write the workload there
  --grid            100, 200, 300, 500 PRs/h on 100, 200, 400 workers against the oracle; --rate and --workers
                    keep it to one of them
  --small-grid      small teams: 1 to 20 PRs/h on 1 to 8 slots, tests of 30 seconds to 90 minutes, in both modes,
                    against plain rules, a queue like GitHub's, and the oracle
  --picture FILE    with --small-grid: write a heat map there (SVG)
  --seeds N,N       the seeds of a grid (default 1,2,3)
  --json            print the results as JSON, one object a line`;

const positive = number(null, "a number above 0", (value) => value > 0 && value < Number.POSITIVE_INFINITY);
const share = number(null, "a share from 0 to 1", (value) => value >= 0 && value <= 1);

function readQueue(given: string): Partial<QueueSettings> {
  const changes = parseQueueChanges(given);
  if ("problem" in changes) throw new Error(changes.problem);
  return changes;
}

export const options = {
  workload: text(null),
  preset: oneOf(Object.keys(presets) as PresetName[], null),
  ...{ seed: whole(null, 0), rate: positive, hours: positive, workers: whole(null, 1), minutes: positive },
  ...{ bad: share, flake: share, share, all: share, hidden: share },
  /** Settings for the queue; null = the recommended ones. */
  queue: option(null, readQueue),
  policy: someOf(policyNames, null),
  perPr: flag,
  save: text(null),
  grid: flag,
  smallGrid: flag,
  /** File for the heat map; null = none. */
  picture: text(null),
  seeds: seedList([1, 2, 3]),
  json: flag,
};

export type SimulateOptions = ValuesOf<typeof options>;

export function check(given: SimulateOptions): void {
  const { seed, workers, flakeRate, ...generated } = modelOf(given);
  if (given.workload !== null && (given.preset !== null || Object.keys(generated).length > 0))
    throw new Error("--workload says everything about the pull requests; leave out what generates others.");
  if (given.picture !== null && !given.smallGrid)
    throw new Error("--picture shows the grid of small teams; add --small-grid.");
  if (given.grid && given.workload !== null) throw new Error("--grid generates its own workloads.");
}

export const presetOf = ({ preset }: SimulateOptions): Preset => presets[preset ?? "github"];

/** What overrides the settings of a workload, whether it is read or generated. */
export function overridesOf({ seed, workers, flake }: SimulateOptions): Partial<WorkloadSettings> {
  return defined({ seed, workers, flakeRate: flake });
}

/** What overrides the model of the preset. */
export function modelOf(given: SimulateOptions): Partial<WorkloadModel> {
  const { minutes, rate, hours, bad, share: pairShare, all: allShare, hidden: hiddenConflictShare } = given;
  const median = minutes === null ? null : { ...presetOf(given).model.minutes, median: minutes };
  const model = { minutes: median, rate, hours, bad, pairShare, allShare, hiddenConflictShare };
  return { ...defined(model), ...overridesOf(given) };
}

type Defined<T> = { [Key in keyof T]?: Exclude<T[Key], null> };

function defined<T extends object>(fields: T): Defined<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null)) as Defined<T>;
}
