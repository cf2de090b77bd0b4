import type { WorkloadSettings } from "./workload/workload.ts";

/** How a pull request ended; `undecided` = it has not ended. A cancelled one counts as neither merged nor rejected. */
export type Ending = "merged" | "rejected" | "cancelled" | "undecided";

/** The outcome of one pull request. Times are minutes from the start. */
export interface PullRequestOutcome {
  readonly n: number;
  /** When it was first submitted. */
  readonly at: number;
  readonly ending: Ending;
  readonly endedAt: number | null;
  /** Number of rejections although it was good. */
  readonly falseRejections: number;
  /** Number of runs whose trees contained it. */
  readonly runs: number;
}

export interface Outcome {
  readonly policy: string;
  readonly pullRequests: readonly PullRequestOutcome[];
  /** Merges after which the base was red. */
  readonly broken: number;
  readonly runs: number;
  /** Duration of all runs, including the partial duration of discarded runs. */
  readonly ciMinutes: number;
  /** Number of simulated events. */
  readonly events: number;
  /** A hash of all decisions. Two runs of a workload with the same decisions have the same trace. */
  readonly trace: string;
  /** Violations of invariants; empty if there are none. */
  readonly violations: readonly string[];
}

/** The figures of one simulation. Times are minutes; null = no merge that counts. */
export interface Summary {
  readonly policy: string;
  readonly merged: number;
  /** Bad pull requests that were rejected. */
  readonly rejected: number;
  /** Rejections of good pull requests, which are submitted again. */
  readonly falseRejections: number;
  /** Merges after which the base was red. */
  readonly broken: number;
  /** From the first submission to the merge, for merged pull requests. */
  readonly p50: number | null;
  readonly p95: number | null;
  readonly p99: number | null;
  readonly meanMinutes: number | null;
  readonly ciMinutesPerMerged: number | null;
  readonly runsPerPr: number | null;
  /** Counts only merges in the period in which pull requests arrive. */
  readonly mergedPerHour: number;
  readonly events: number;
  readonly wallMs: number;
}

/** The queue fills in the first hour. Submissions in that hour do not count for latencies, unless there are no others. */
const warmUpMinutes = 60;

export function summarize(outcome: Outcome, { hours }: WorkloadSettings, wallMs: number): Summary {
  const merged = outcome.pullRequests.filter(({ ending }) => ending === "merged");
  const minutes = latencies(merged, warmUpMinutes) ?? latencies(merged, 0) ?? new Float64Array();
  const inTime = merged.filter(({ endedAt }) => endedAt !== null && endedAt <= hours * 60);
  return {
    policy: outcome.policy,
    merged: merged.length,
    rejected: outcome.pullRequests.filter(({ ending }) => ending === "rejected").length,
    falseRejections: outcome.pullRequests.reduce((sum, one) => sum + one.falseRejections, 0),
    broken: outcome.broken,
    p50: percentile(minutes, 0.5),
    p95: percentile(minutes, 0.95),
    p99: percentile(minutes, 0.99),
    meanMinutes: ratio(
      minutes.reduce((sum, one) => sum + one, 0),
      minutes.length,
    ),
    ciMinutesPerMerged: ratio(outcome.ciMinutes, merged.length),
    runsPerPr: ratio(outcome.runs, outcome.pullRequests.length),
    mergedPerHour: rounded(inTime.length / hours),
    events: outcome.events,
    wallMs: rounded(wallMs),
  };
}

/** Returns the latencies of pull requests submitted at or after that minute, ascending; null = there are none. */
function latencies(merged: Outcome["pullRequests"], from: number): Float64Array | null {
  const counted = merged.filter(({ at }) => at >= from);
  if (counted.length === 0) return null;
  return Float64Array.from(counted, ({ at, endedAt }) => (endedAt ?? Number.NaN) - at).sort();
}

function percentile(sorted: ArrayLike<number>, share: number): number | null {
  const value = sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
  return value === undefined ? null : rounded(value);
}

function ratio(sum: number, count: number): number | null {
  return count === 0 ? null : rounded(sum / count);
}

/** Rounds to three decimal places; more would not be meaningful. */
function rounded(value: number): number {
  return Math.round(value * 1000) / 1000;
}
