import type { EntryState } from "../../engine/model/entry.ts";
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

export type LiveState = Exclude<EntryState, "merged" | "failed" | "cancelled">;

export interface LiveRun {
  readonly kind: TestRunKind;
  readonly since: number;
  readonly isConcluded: boolean;
  /** Whether its failed checks were re-run; absent when not. */
  readonly retried?: "begun" | "refused";
  /** Quarantined tests failed in the run and did not count; absent when there were none. */
  readonly isForgiven?: true;
}

/** What is counted in the last hour. */
export type RecentCount = "merged" | "failed" | "cancelled" | "restart";
export type RecentTime = "wait" | "in_queue" | `test ${TestRunKind}`;

/** What happened in five minutes. Steps keep the size of a tally independent of the number of events. */
export interface RecentStep {
  /** When it begins, in milliseconds since the epoch. */
  readonly at: number;
  readonly counts: Readonly<Partial<Record<RecentCount, number>>>;
  /** Without the empty buckets at the end. */
  readonly times: Readonly<Partial<Record<RecentTime, Histogram>>>;
}

export type Counts<Key extends string = string> = Readonly<Record<Key, number>>;

/**
 * The counts of a queue, folded from its log, so that every replica gets the same counts. A tally is stored with each commit, so its size
 * must not depend on the number of pull requests in the queue.
 */
export interface Tally {
  /** The last counted event. */
  readonly seq: number;
  readonly at: number;
  /** The number of pull requests in the queue. */
  readonly states: Counts<LiveState>;
  /** The number of pull requests that have waited for each cause since the last event. */
  readonly waiting: Counts<WaitCause>;
  /** Seconds that pull requests have waited until the last event, summed over all of them. */
  readonly waited: Counts<WaitCause>;
  /** The number of runs that are being built or tested. */
  readonly activeRuns: Counts<TestRunKind>;
  /** Whether the queue evicts no pull request, because everything fails. */
  readonly nothingPasses: boolean;
  /** Whether pull requests wait, and nothing has merged for too long. */
  readonly isStalled: boolean;
  readonly runs: Readonly<Record<string, LiveRun>>;
  /** The pending pull requests whose tests have already started once. */
  readonly restarted: readonly number[];
  /** The submission times of pull requests that have lost their place since, by number. */
  readonly submitted: Counts;
  /** By `from to reason`. */
  readonly transitions: Counts;
  /** By `kind outcome`. */
  readonly runsEnded: Counts;
  /**
   * The number of test runs whose failed checks were re-run because only known flaky or new tests had failed,
   * by `kind result`.
   */
  readonly flakyRetries: Counts;
  /**
   * The number of test runs that passed although quarantined, known flaky or new tests failed, by `kind` and
   * either `retried` or `quarantined`.
   */
  readonly spared: Counts;
  /** The number of tests of the base by itself, by `verdict`. */
  readonly baseTests: Counts;
  readonly tests: Readonly<Record<TestRunKind, Histogram>>;
  readonly inQueue: Histogram;
  readonly treeMismatches: number;
  /** The steps of the last hour in which something happened, in order. */
  readonly recent: readonly RecentStep[];
}

const noWaits = { readiness: 0, paused: 0, batch: 0, capacity: 0, predecessors: 0, infrastructure: 0, ci: 0 };

export const nothingCounted: Tally = {
  seq: 0,
  at: 0,
  states: { not_ready: 0, pending: 0, testing: 0, tests_passed: 0, pending_failure: 0 },
  waiting: noWaits,
  waited: noWaits,
  activeRuns: { main: 0, bisection: 0 },
  nothingPasses: false,
  isStalled: false,
  runs: {},
  restarted: [],
  submitted: {},
  transitions: {},
  runsEnded: {},
  flakyRetries: {},
  spared: {},
  baseTests: {},
  tests: { main: noValues, bisection: noValues },
  inQueue: noValues,
  treeMismatches: 0,
  recent: [],
};
