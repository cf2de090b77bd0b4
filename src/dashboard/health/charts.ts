import type { CountName, HealthBucket, Wait } from "../../service/metrics/health/health-figures.ts";
import { quantile } from "../../service/metrics/health/health-figures.ts";

/** A chart, which is also a table and a CSV file of the same figures. */
export interface Chart {
  readonly id: string;
  readonly title: string;
  /** What the figures mean. */
  readonly note: string;
  readonly unit: string;
  /** `stack`: the series add up. */
  readonly kind: "stack" | "lines";
  readonly series: readonly Series[];
}

interface Series {
  readonly name: string;
  /** Null = there is nothing to measure. */
  readonly of: (bucket: HealthBucket) => number | null;
  readonly digits: 0 | 1;
}

const waitNames: Readonly<Record<Wait, string>> = {
  ci: "tests in CI",
  slot: "waiting for a slot",
  predecessors: "behind others",
  batch: "batching",
  paused: "paused",
  frozen: "frozen",
  readiness: "not ready",
  retry: "trying again after errors",
};

/** In the order in which they are stacked: the usual waits first. */
export const namedWaits = (Object.keys(waitNames) as Wait[]).map((wait) => [wait, waitNames[wait]] as const);

/** The maximum number of reasons with a series. The others share one series. */
const mostReasons = 6;

/** The charts of a period. Reasons that do not occur in it have no series. */
export function chartsOf(buckets: readonly HealthBucket[], now: number): readonly Chart[] {
  return [
    {
      id: "time",
      title: "Where the time goes",
      note: "Of each pull request that left the queue, from its submission.",
      unit: "minutes for each pull request",
      kind: "stack",
      series: namedWaits.map(([wait, name]) => ({
        name,
        of: (bucket) => ratio(count(bucket, `wait ${wait}`) / 60_000, ended(bucket)),
        digits: 1,
      })),
    },
    {
      id: "stay",
      title: "Time to merge",
      note: "From the submission to the merge. Half of the pull requests were faster than p50, and 95 of 100 faster than p95.",
      unit: "minutes",
      kind: "lines",
      series: [
        { name: "p50", of: ({ stays }) => minutes(quantile(stays, 0.5)), digits: 1 },
        { name: "p95", of: ({ stays }) => minutes(quantile(stays, 0.95)), digits: 1 },
      ],
    },
    {
      id: "throughput",
      title: "Throughput",
      note: "What left the queue.",
      unit: "pull requests",
      kind: "stack",
      series: (["merged", "failed", "cancelled"] as const).map(counted),
    },
    {
      id: "leaving",
      title: "Why they left without a merge",
      note: "By the reason.",
      unit: "pull requests",
      kind: "stack",
      series: byReason(buckets, "left "),
    },
    {
      id: "failures",
      title: "Failures and flakes",
      note: "Failed: test runs with the verdict “failed”. Flaky: what failed and then passed unchanged, or was quarantined, compared with all verdicts.",
      unit: "% of test runs",
      kind: "lines",
      series: [
        { name: "failed", of: (bucket) => percent(count(bucket, "run failed"), verdicts(bucket)), digits: 1 },
        { name: "flaky", of: (bucket) => percent(count(bucket, "flaky"), verdicts(bucket)), digits: 1 },
      ],
    },
    {
      id: "ci",
      title: "CI for each merge",
      note: "The time of all test runs, bisections and discarded runs included, divided by the merges.",
      unit: "minutes for each merged pull request",
      kind: "lines",
      series: [
        {
          name: "CI",
          of: (bucket) => ratio(count(bucket, "ci") / 60_000, count(bucket, "merged")),
          digits: 1,
        },
      ],
    },
    {
      id: "slots",
      title: "Slots in use",
      note: "On average. Bisections have slots of their own, which are not counted.",
      unit: "slots",
      kind: "lines",
      series: [
        { name: "in use", of: (bucket) => busySlots(bucket, now), digits: 1 },
        { name: "slots", of: ({ slots }) => slots, digits: 0 },
      ],
    },
    {
      id: "restarts",
      title: "Repeated tests",
      note: "Pull requests that had to be tested again, by the cause.",
      unit: "pull requests",
      kind: "stack",
      series: byReason(buckets, "restart "),
    },
    {
      id: "bisections",
      title: "Bisections, and good pull requests kept",
      note: "Searches for what made a batch fail, and pull requests that merged although a test of several with them had failed.",
      unit: "",
      kind: "lines",
      series: [
        { ...counted("search"), name: "bisections" },
        { ...counted("innocent"), name: "good pull requests kept" },
      ],
    },
  ];
}

/** The figures of a chart as they are shown, one row for each bucket; an empty text where there is nothing to measure. */
export function figuresOf({ series }: Chart, buckets: readonly HealthBucket[]): readonly string[][] {
  return buckets.map((bucket) => series.map(({ of, digits }) => of(bucket)?.toFixed(digits) ?? ""));
}

/** A chart as CSV. No name contains a comma. */
export function csvOf(chart: Chart, buckets: readonly HealthBucket[]): string {
  const unit = chart.unit === "" ? "" : ` (${chart.unit})`;
  const head = ["from (UTC)", "to (UTC)", ...chart.series.map(({ name }) => name + unit)];
  const time = (at: number) => new Date(at).toISOString().slice(0, 19).replace("T", " ");
  const rows = figuresOf(chart, buckets).map((figures, index) => {
    const { from = 0, to = 0 } = buckets[index] ?? {};
    return [time(from), time(to), ...figures];
  });
  return [head, ...rows].map((cells) => `${cells.join(",")}\r\n`).join("");
}

export function count({ counts }: Pick<HealthBucket, "counts">, name: CountName): number {
  return counts[name] ?? 0;
}

function counted(name: CountName): Series {
  return { name, of: (bucket) => count(bucket, name), digits: 0 };
}

/** The number of pull requests that left the queue in a bucket, to which all its waits belong. */
export function ended(bucket: Pick<HealthBucket, "counts">): number {
  return count(bucket, "merged") + count(bucket, "failed") + count(bucket, "cancelled");
}

export function verdicts(bucket: Pick<HealthBucket, "counts">): number {
  return count(bucket, "run passed") + count(bucket, "run failed");
}

/** The average number of used slots; null before the bucket begins. */
export function busySlots(bucket: Pick<HealthBucket, "counts" | "from" | "to">, now: number): number | null {
  const ms = Math.min(bucket.to, now) - bucket.from;
  return ms <= 0 ? null : count(bucket, "busy") / ms;
}

export function ratio(sum: number, parts: number): number | null {
  return parts === 0 ? null : sum / parts;
}

export function percent(part: number, whole: number): number | null {
  return ratio(100 * part, whole);
}

export function minutes(ms: number | null): number | null {
  return ms === null ? null : ms / 60_000;
}

/** The most frequent reasons, each a series, and the rest as the last one. */
function byReason(buckets: readonly HealthBucket[], prefix: "left " | "restart "): readonly Series[] {
  const totals = new Map<CountName, number>();
  for (const { counts } of buckets)
    for (const [name, value] of Object.entries(counts) as [CountName, number][])
      if (name.startsWith(prefix)) totals.set(name, (totals.get(name) ?? 0) + value);
  const names = [...totals].sort((a, b) => b[1] - a[1]).map(([name]) => name);
  const rest = names.slice(mostReasons);
  const series = names.slice(0, mostReasons).map((name) => ({
    ...counted(name),
    name: name.slice(prefix.length).toLowerCase().replaceAll("_", " "),
  }));
  if (rest.length === 0) return series;
  const others = (bucket: HealthBucket) => rest.reduce((sum, name) => sum + count(bucket, name), 0);
  return [...series, { name: "other reasons", of: others, digits: 0 }];
}
