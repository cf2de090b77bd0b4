import type { RecordedEntry, Recording } from "./recording.ts";
import { inOrder, type SimulatedPullRequest, type Workload } from "./workload/workload.ts";

export interface Reconstruction {
  readonly workload: Workload;
  /** The assumptions where the log has no information, as sentences. */
  readonly assumptions: readonly string[];
}

const minuteMs = 60_000;
/** More runs at once than any queue requests, because the log does not show how many CI could execute. */
const enoughWorkers = 1_000_000;
const unknownMinutes = 15;

/** Reconstructs the workload of a queue for a replay. Each stay becomes a separate pull request. */
export function reconstruct(recording: Recording): Reconstruction {
  const { from, to, entries: stays } = recording;
  const known = stays.filter((stay) => stay.readyAt !== null && !neverTestable(stay));
  const median = medianOf(stays.flatMap(({ testMs }) => testMs ?? [])) ?? unknownMinutes * minuteMs;
  const pullRequests = known.map((stay, index) => simulated(stay, index + 1, from, median));
  const cancellations = known.flatMap((stay, index) =>
    leftByItself(stay) && stay.endedAt !== null
      ? [{ n: index + 1, at: (stay.endedAt - from) / minuteMs }]
      : [],
  );
  const workload: Workload = {
    settings: {
      workers: enoughWorkers,
      flakeRate: flakeRate(recording),
      scope: "tree",
      timedBy: "members",
      hours: Math.max(1 / 60, (to - from) / (60 * minuteMs)),
      seed: 1,
      // The log already contains resubmissions, as separate stays.
      resubmitMinutes: Number.POSITIVE_INFINITY,
      durationNoise: 0,
    },
    pullRequests: inOrder(pullRequests),
    conflicts: [],
    cancellations,
  };
  return { workload, assumptions: assumptions(recording, known) };
}

function simulated(stay: RecordedEntry, n: number, from: number, median: number): SimulatedPullRequest {
  const { targets } = stay;
  return {
    n,
    at: ((stay.readyAt ?? from) - from) / minuteMs,
    targets: targets === null || targets === "ALL" ? "ALL" : [...targets].map(String),
    fails: hasFailed(stay),
    minutes: Math.max(1, stay.testMs ?? median) / minuteMs,
    priority: stay.priority.value,
    risk: null,
    noBatch: stay.noBatch,
  };
}

/** Whether it failed its tests on its actual predecessors. */
function hasFailed({ reason }: RecordedEntry): boolean {
  return reason?.code === "CHECKS_FAILED" || reason?.code === "TESTING_TIMEOUT";
}

/** Whether it failed without a test: a conflict, an outage, a refusal. The simulator does not model these. */
function neverTestable(stay: RecordedEntry): boolean {
  return stay.ending === "failed" && !hasFailed(stay);
}

/** Whether it was cancelled, or merged outside of the queue. */
function leftByItself({ ending, reason }: RecordedEntry): boolean {
  return ending === "cancelled" || reason?.code === "MERGED_BY_OTHERS";
}

/** Returns the share of runs that failed although all pull requests in them later merged unchanged. */
export function flakeRate({ runs }: Recording): number {
  const good = runs.filter(
    ({ verdict, tree }) => verdict !== null && tree.every(({ ending }) => ending === "merged"),
  );
  if (good.length === 0) return 0;
  return good.filter(({ verdict }) => verdict === "failed").length / good.length;
}

function assumptions(recording: Recording, known: readonly RecordedEntry[]): string[] {
  const { entries: stays, reconfigured, stoppedMs, settings } = recording;
  const count = (fits: (stay: RecordedEntry) => boolean) => known.filter(fits).length;
  const failed = count(hasFailed);
  const unverified = count((stay) => stay.testMs === null);
  const leftOut = stays.length - known.length;
  const flakes = flakeRate(recording);
  const untargeted = count(({ targets }) => targets === null);
  return [
    "Waits count from when a pull request could be tested. Nobody changes what they do because the queue is faster or slower.",
    "CI runs as many tests at once as the queue wants, and test runs take as long as those of the same pull request took; a batch as long as its longest.",
    ...(failed > 0
      ? [`Pull requests that failed their tests (${failed}) fail again, whatever they are tested on top of.`]
      : []),
    "All others pass together. Whether pull requests fail together that were never tested together is not known.",
    ...(unverified > 0
      ? [
          `Pull requests without a completed test run (${unverified}) pass, and their tests take the median time.`,
        ]
      : []),
    ...(flakes > 0
      ? [
          `${(100 * flakes).toFixed(1)} % of test runs fail without a cause. That is the share of runs that failed although all their pull requests merged later.`,
        ]
      : []),
    ...(leftOut > 0
      ? [
          `Pull requests that never became ready, or failed without a test (a conflict, an outage, a refusal), are left out (${leftOut}).`,
        ]
      : []),
    ...(reconfigured > 0
      ? [
          `Settings were changed (${reconfigured === 1 ? "once" : `${reconfigured} times`}). The latest ones are used for the whole time.`,
        ]
      : []),
    ...(stoppedMs >= minuteMs / 2
      ? [`For ${Math.round(stoppedMs / minuteMs)} min the queue started no tests; the replay never stops.`]
      : []),
    ...(settings.directMergeMode === "always" ? ["No pull request is merged without a test."] : []),
    ...(untargeted > 0
      ? [`Pull requests without impacted targets (${untargeted}) impact everything in parallel mode.`]
      : []),
  ];
}

function medianOf(samples: readonly number[]): number | null {
  return samples.toSorted((a, b) => a - b)[Math.floor(samples.length / 2)] ?? null;
}
