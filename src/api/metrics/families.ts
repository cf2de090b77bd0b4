import type { MeasuredQueue } from "../../service/metrics/queue-metrics.ts";
import { type Histogram, sumOf } from "../../service/runtime/histogram.ts";
import { type RecentCount, type RecentTime, type Tally, waitCauses } from "../../service/runtime/tally.ts";
import { type Family, renderLabels, type Sample } from "./text-format.ts";

const kinds = ["main", "bisection"] as const;
type Kind = (typeof kinds)[number];

type Reading = (tally: Tally, kind: Kind) => readonly Sample[];

type Measurement = readonly [name: string, type: Family["type"], help: string, read: Reading];

/** Metrics that existing dashboards of this API use. They cover the last hour, so their values may fall. */
const lastHour: readonly Measurement[] = [
  [
    "mq_depth_current",
    "gauge",
    "Pull requests in the queue now, without those that are not ready",
    ({ states: { pending, testing, tests_passed, pending_failure } }, kind) =>
      number(kind === "main" ? pending + testing + tests_passed + pending_failure : 0),
  ],
  [
    "mq_awaiting_mergeability",
    "gauge",
    "Pull requests that wait to become mergeable",
    ({ states }, kind) => number(kind === "main" ? states.not_ready : 0),
  ],
  [
    "mq_testing_slots_active",
    "gauge",
    "Test runs that are being built or tested now",
    ({ activeRuns }, kind) => number(activeRuns[kind]),
  ],
  [
    "mq_pr_conclusions_1h_total",
    "gauge",
    "Pull requests that left the queue in the last hour",
    (tally, kind) =>
      (["merged", "failed", "cancelled"] as const).map((conclusion) => ({
        labels: { conclusion },
        value: kind === "main" ? recentCount(tally, conclusion) : 0,
      })),
  ],
  [
    "mq_pr_restarts_1h_total",
    "gauge",
    "Pull requests whose tests were begun again in the last hour",
    (tally, kind) => number(kind === "main" ? recentCount(tally, "restart") : 0),
  ],
  [
    "mq_pr_wait_duration_1h_seconds",
    "histogram",
    "From being ready to the beginning of the tests, in the last hour",
    (tally, kind) => recentSeconds(tally, kind === "main" ? "wait" : null),
  ],
  [
    "mq_pr_test_duration_1h_seconds",
    "histogram",
    "Duration of the test runs that ended in the last hour",
    (tally, kind) => recentSeconds(tally, `test ${kind}`),
  ],
  [
    "mq_pr_time_in_queue_1h_seconds",
    "histogram",
    "From being submitted to leaving the queue, in the last hour",
    (tally, kind) => recentSeconds(tally, kind === "main" ? "in_queue" : null),
  ],
];

/** The current state of a queue. */
const now: typeof lastHour = [
  [
    "trainyard_nothing_passes",
    "gauge",
    "1 while the queue removes nobody, because everything fails or the target branch fails by itself; else 0",
    ({ nothingPasses }) => number(nothingPasses ? 1 : 0),
  ],
  [
    "trainyard_stalled",
    "gauge",
    "1 while pull requests wait and nothing has merged for too long; else 0",
    ({ isStalled }) => number(isStalled ? 1 : 0),
  ],
];

/** Metrics that only grow, so that `rate()` is valid. */
const sinceEver: typeof lastHour = [
  [
    "trainyard_transitions_total",
    "counter",
    "Changes of state of pull requests, by their reason",
    ({ transitions }) =>
      Object.entries(transitions).map(([key, value]) => {
        const [from = "", to = "", reason = ""] = key.split(" ");
        return { labels: { from, to, reason }, value };
      }),
  ],
  [
    "trainyard_wait_seconds_total",
    "counter",
    "Seconds that pull requests have spent waiting, summed over all of them, by what they waited for",
    ({ waited }) => waitCauses.map((cause) => ({ labels: { cause }, value: waited[cause] })),
  ],
  [
    "trainyard_test_runs_total",
    "counter",
    "Test runs that ended, by their outcome",
    ({ runsEnded }, kind) =>
      ["passed", "failed", "cancelled"].map((outcome) => ({
        labels: { outcome },
        value: runsEnded[`${kind} ${outcome}`] ?? 0,
      })),
  ],
  [
    "trainyard_flaky_retries_total",
    "counter",
    "Test runs whose failed checks ran again because only tests failed that are known to be flaky, or new where the repository retries new tests, by what came of it",
    ({ flakyRetries }, kind) =>
      ["passed", "failed", "refused", "cancelled"].map((outcome) => ({
        labels: { outcome },
        value: flakyRetries[`${kind} ${outcome}`] ?? 0,
      })),
  ],
  [
    "trainyard_evictions_avoided_total",
    "counter",
    "Test runs that passed although tests failed that are known to be flaky (retried) or are quarantined",
    ({ spared }, kind) =>
      ["retried", "quarantined"].map((how) => ({
        labels: { how },
        value: spared[`${kind} ${how}`] ?? 0,
      })),
  ],
  [
    "trainyard_test_duration_seconds",
    "histogram",
    "Duration of test runs, from the order to build to the verdict",
    ({ tests }, kind) => seconds(tests[kind]),
  ],
  [
    "trainyard_time_in_queue_seconds",
    "histogram",
    "From being submitted to leaving the queue",
    ({ inQueue }) => seconds(inQueue),
  ],
  [
    "trainyard_base_tests_total",
    "counter",
    "Tests of the target branch by itself, by their outcome: unknown if CI did not test it, stopped if it was no longer needed",
    ({ baseTests }) =>
      ["passed", "failed", "unknown", "stopped"].map((outcome) => ({
        labels: { outcome },
        value: baseTests[outcome] ?? 0,
      })),
  ],
  [
    "trainyard_tree_mismatches_total",
    "counter",
    "Merges of which something else came than what was tested; each paused the queue",
    ({ treeMismatches }) => number(treeMismatches),
  ],
];

/** The metrics with separate values for each kind of test run. The others have no label `queue_type`. */
const byKind: ReadonlySet<string> = new Set([
  ...lastHour.map(([name]) => name),
  "trainyard_test_runs_total",
  "trainyard_flaky_retries_total",
  "trainyard_evictions_avoided_total",
  "trainyard_test_duration_seconds",
]);

export function familiesOf(queues: readonly MeasuredQueue[]): Family[] {
  const all = queues.map(({ repo, branch, tally }) => {
    const labels = { repo: `${repo.owner}/${repo.name}`, branch };
    const own = kinds
      .filter((kind) => kind === "main" || hasBisected(tally))
      .map((kind) => ({ kind, text: renderLabels({ ...labels, queue_type: kind }) }));
    return { tally, own, text: renderLabels(labels) };
  });
  return [...lastHour, ...now, ...sinceEver].map(([name, type, help, read]) => ({
    ...{ name, type, help },
    groups: all
      .values()
      .flatMap(
        ({ tally, own, text }): Iterable<readonly [string, readonly Sample[]]> =>
          byKind.has(name)
            ? own.map(({ kind, text }) => [text, read(tally, kind)] as const)
            : [[text, read(tally, "main")]],
      ),
  }));
}

/** Whether the queue has ever bisected. Most queues never do, and have no series about it. */
function hasBisected({ activeRuns, runsEnded }: Tally): boolean {
  return activeRuns.bisection > 0 || Object.keys(runsEnded).some((key) => key.startsWith("bisection "));
}

function recentCount({ recent }: Tally, what: RecentCount): number {
  return recent.reduce((sum, { counts }) => sum + (counts[what] ?? 0), 0);
}

/** Without values, the histogram has only the bucket `+Inf`, because most queues do nothing for hours. */
function recentSeconds({ recent }: Tally, what: RecentTime | null): readonly Sample[] {
  const histograms = what === null ? [] : recent.flatMap(({ times }) => times[what] ?? []);
  if (histograms.length === 0) return [{ labels: {}, histogram: { counts: [0], sum: 0 }, bounds: [] }];
  return seconds(sumOf(histograms));
}

const number = (value: number): readonly Sample[] => [{ labels: {}, value }];
const seconds = (histogram: Histogram): readonly Sample[] => [{ labels: {}, histogram }];
