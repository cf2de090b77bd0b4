import type { EntryState } from "../../engine/model/entry.ts";
import type { QueueStatus } from "../../engine/model/queue.ts";
import type { TestRunKind } from "../../engine/model/test-run.ts";
import { type Histogram, noValues } from "./histogram.ts";

/** The causes that pull requests wait for. */
export const waitCauses = [
  "readiness",
  "paused",
  "batch",
  "capacity",
  "predecessors",
  "infrastructure",
  "ci",
] as const;
export type WaitCause = (typeof waitCauses)[number];

/** The counted state of a pull request in the queue. */
export interface LiveEntry {
  readonly state: EntryState;
  readonly submittedAt: number;
  /** Since when it waits for its tests; null when its tests have already started once. */
  readonly waitsSince: number | null;
  readonly isHeld: boolean;
  readonly isDelayed: boolean;
}

export interface LiveRun {
  readonly kind: TestRunKind;
  readonly since: number;
  readonly isConcluded: boolean;
  /** Whether its failed checks were re-run; absent when not. */
  readonly retried?: "begun" | "refused";
  /** Quarantined tests failed in the run and did not count; absent when there were none. */
  readonly isForgiven?: true;
}

/** An event of the last hour: its kind, and its duration in seconds. */
export interface RecentValue {
  readonly at: number;
  readonly what: "merged" | "failed" | "cancelled" | "restart" | "wait" | "test" | "in_queue";
  readonly kind: TestRunKind;
  readonly seconds: number;
}

/** The counts of a queue, folded from its log, so that every replica gets the same counts. */
export interface QueueStatistics {
  /** The last counted event. */
  readonly seq: number;
  readonly at: number;
  readonly status: QueueStatus;
  readonly batch: boolean;
  readonly concurrency: number;
  readonly live: ReadonlyMap<number, LiveEntry>;
  readonly runs: ReadonlyMap<string, LiveRun>;
  /** By `from to reason`. */
  readonly transitions: ReadonlyMap<string, number>;
  /** By `kind outcome`. */
  readonly runsEnded: ReadonlyMap<string, number>;
  /**
   * The number of test runs whose failed checks were re-run because only known flaky or new tests had failed,
   * by `kind result`.
   */
  readonly flakyRetries: ReadonlyMap<string, number>;
  /**
   * The number of test runs that passed although quarantined, known flaky or new tests failed, by `kind` and
   * either `retried` or `quarantined`.
   */
  readonly spared: ReadonlyMap<string, number>;
  /** The number of tests of the base by itself, by `verdict`. */
  readonly baseTests: ReadonlyMap<string, number>;
  /** Seconds that pull requests have waited, summed over all of them. */
  readonly waited: Readonly<Record<WaitCause, number>>;
  readonly tests: Readonly<Record<TestRunKind, Histogram>>;
  readonly inQueue: Histogram;
  readonly treeMismatches: number;
  readonly recent: readonly RecentValue[];
}

export const nothingCounted: QueueStatistics = {
  seq: 0,
  at: 0,
  status: "running",
  batch: false,
  concurrency: 1,
  live: new Map(),
  runs: new Map(),
  transitions: new Map(),
  runsEnded: new Map(),
  flakyRetries: new Map(),
  spared: new Map(),
  baseTests: new Map(),
  waited: { readiness: 0, paused: 0, batch: 0, capacity: 0, predecessors: 0, infrastructure: 0, ci: 0 },
  tests: { main: noValues, bisection: noValues },
  inQueue: noValues,
  treeMismatches: 0,
  recent: [],
};

export function serializeStatistics(tally: QueueStatistics): string {
  return JSON.stringify({
    ...tally,
    live: [...tally.live],
    runs: [...tally.runs],
    transitions: [...tally.transitions],
    runsEnded: [...tally.runsEnded],
    flakyRetries: [...tally.flakyRetries],
    spared: [...tally.spared],
    baseTests: [...tally.baseTests],
  });
}

export function deserializeStatistics(text: string): QueueStatistics {
  const { live, runs, transitions, runsEnded, ...counted } = JSON.parse(text);
  // Tallies that were stored before retries and tests of the base were counted lack these fields.
  const { flakyRetries = [], spared = [], baseTests = [], ...rest } = counted;
  return {
    ...rest,
    live: new Map(live),
    runs: new Map(runs),
    transitions: new Map(transitions),
    runsEnded: new Map(runsEnded),
    flakyRetries: new Map(flakyRetries),
    spared: new Map(spared),
    baseTests: new Map(baseTests),
  };
}
