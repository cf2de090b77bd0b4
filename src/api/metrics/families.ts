import type { Histogram } from "../../service/metrics/histogram.ts";
import { histogramOf } from "../../service/metrics/histogram.ts";
import type { MeasuredQueue } from "../../service/metrics/queue-metrics.ts";
import { type RecentValue, waitCauses } from "../../service/metrics/queue-statistics.ts";

export type Labels = Readonly<Record<string, string>>;

export type Sample =
  | { readonly labels: Labels; readonly value: number }
  | {
      readonly labels: Labels;
      readonly histogram: Histogram;
      /** Upper bounds of the buckets, when they are not the usual ones. */
      readonly bounds?: readonly number[];
    };

/** The series of one metric name. */
export interface Family {
  readonly name: string;
  readonly help: string;
  readonly type: "gauge" | "counter" | "histogram";
  readonly samples: readonly Sample[];
}

const kinds = ["main", "bisection"] as const;
type Kind = (typeof kinds)[number];

type Reading = (queue: MeasuredQueue, kind: Kind) => readonly Sample[];

/** Metrics that existing dashboards of this API use. They cover the last hour, so their values may fall. */
const lastHour: readonly [name: string, type: Family["type"], help: string, read: Reading][] = [
  [
    "mq_depth_current",
    "gauge",
    "Pull requests in the queue now, without those that are not ready",
    (queue, kind) => number(kind === "main" ? queue.depth : 0),
  ],
  [
    "mq_awaiting_mergeability",
    "gauge",
    "Pull requests that wait to become mergeable",
    (queue, kind) => number(kind === "main" ? queue.notReady : 0),
  ],
  [
    "mq_testing_slots_active",
    "gauge",
    "Test runs that are being built or tested now",
    (queue, kind) => number(queue.activeRuns[kind]),
  ],
  [
    "mq_pr_conclusions_1h_total",
    "gauge",
    "Pull requests that left the queue in the last hour",
    (queue, kind) =>
      (["merged", "failed", "cancelled"] as const).map((conclusion) => ({
        labels: { conclusion },
        value: recent(queue, kind, conclusion).length,
      })),
  ],
  [
    "mq_pr_restarts_1h_total",
    "gauge",
    "Pull requests whose tests were begun again in the last hour",
    (queue, kind) => number(recent(queue, kind, "restart").length),
  ],
  [
    "mq_pr_wait_duration_1h_seconds",
    "histogram",
    "From being ready to the beginning of the tests, in the last hour",
    (queue, kind) => seconds(histogramOf(recent(queue, kind, "wait"))),
  ],
  [
    "mq_pr_test_duration_1h_seconds",
    "histogram",
    "Duration of the test runs that ended in the last hour",
    (queue, kind) => seconds(histogramOf(recent(queue, kind, "test"))),
  ],
  [
    "mq_pr_time_in_queue_1h_seconds",
    "histogram",
    "From being submitted to leaving the queue, in the last hour",
    (queue, kind) => seconds(histogramOf(recent(queue, kind, "in_queue"))),
  ],
];

/** The current state of a queue. */
const now: typeof lastHour = [
  [
    "trainyard_nothing_passes",
    "gauge",
    "1 while the queue removes nobody, because everything fails or the target branch fails by itself; else 0",
    ({ nothingPasses }, kind) => (kind === "main" ? number(nothingPasses ? 1 : 0) : []),
  ],
  [
    "trainyard_stalled",
    "gauge",
    "1 while pull requests wait and nothing has merged for too long; else 0",
    ({ isStalled }, kind) => (kind === "main" ? number(isStalled ? 1 : 0) : []),
  ],
];

/** Metrics that only grow, so that `rate()` is valid. */
const sinceEver: typeof lastHour = [
  [
    "trainyard_transitions_total",
    "counter",
    "Changes of state of pull requests, by their reason",
    ({ tally }, kind) =>
      kind === "bisection"
        ? []
        : [...tally.transitions].map(([key, value]) => {
            const [from = "", to = "", reason = ""] = key.split(" ");
            return { labels: { from, to, reason }, value };
          }),
  ],
  [
    "trainyard_wait_seconds_total",
    "counter",
    "Seconds that pull requests have spent waiting, summed over all of them, by what they waited for",
    ({ tally }, kind) =>
      kind === "bisection"
        ? []
        : waitCauses.map((cause) => ({ labels: { cause }, value: tally.waited[cause] })),
  ],
  [
    "trainyard_test_runs_total",
    "counter",
    "Test runs that ended, by their outcome",
    ({ tally }, kind) =>
      ["passed", "failed", "cancelled"].map((outcome) => ({
        labels: { outcome },
        value: tally.runsEnded.get(`${kind} ${outcome}`) ?? 0,
      })),
  ],
  [
    "trainyard_flaky_retries_total",
    "counter",
    "Test runs whose failed checks ran again because only tests failed that are known to be flaky, or new where the repository retries new tests, by what came of it",
    ({ tally }, kind) =>
      ["passed", "failed", "refused", "cancelled"].map((outcome) => ({
        labels: { outcome },
        value: tally.flakyRetries.get(`${kind} ${outcome}`) ?? 0,
      })),
  ],
  [
    "trainyard_evictions_avoided_total",
    "counter",
    "Test runs that passed although tests failed that are known to be flaky (retried) or are quarantined",
    ({ tally }, kind) =>
      ["retried", "quarantined"].map((how) => ({
        labels: { how },
        value: tally.spared.get(`${kind} ${how}`) ?? 0,
      })),
  ],
  [
    "trainyard_test_duration_seconds",
    "histogram",
    "Duration of test runs, from the order to build to the verdict",
    ({ tally }, kind) => seconds(tally.tests[kind]),
  ],
  [
    "trainyard_time_in_queue_seconds",
    "histogram",
    "From being submitted to leaving the queue",
    ({ tally }, kind) => (kind === "main" ? seconds(tally.inQueue) : []),
  ],
  [
    "trainyard_base_tests_total",
    "counter",
    "Tests of the target branch by itself, by their outcome: unknown if CI did not test it, stopped if it was no longer needed",
    ({ tally }, kind) =>
      kind === "bisection"
        ? []
        : ["passed", "failed", "unknown", "stopped"].map((outcome) => ({
            labels: { outcome },
            value: tally.baseTests.get(outcome) ?? 0,
          })),
  ],
  [
    "trainyard_tree_mismatches_total",
    "counter",
    "Merges of which something else came than what was tested; each paused the queue",
    ({ tally }, kind) => (kind === "main" ? number(tally.treeMismatches) : []),
  ],
];

export function familiesOf(queues: readonly MeasuredQueue[]): Family[] {
  return [...lastHour, ...now, ...sinceEver].map(([name, type, help, read]) => ({
    name,
    type,
    help,
    samples: queues.flatMap((queue) =>
      kinds.flatMap((kind) => {
        const { repo, branch } = queue;
        const own = { repo: `${repo.owner}/${repo.name}`, branch, queue_type: kind };
        return read(queue, kind).map((sample) => ({ ...sample, labels: { ...own, ...sample.labels } }));
      }),
    ),
  }));
}

function recent({ tally }: MeasuredQueue, kind: Kind, what: RecentValue["what"]): number[] {
  return tally.recent.filter((one) => one.what === what && one.kind === kind).map((one) => one.seconds);
}

const number = (value: number): readonly Sample[] => [{ labels: {}, value }];
const seconds = (histogram: Histogram): readonly Sample[] => [{ labels: {}, histogram }];
