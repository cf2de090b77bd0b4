import type { EntryState } from "../../engine/model/entry.ts";
import type { QueueStatus } from "../../engine/model/queue.ts";
import type { TestRunKind } from "../../engine/model/test-run.ts";
import { type Histogram, noValues } from "./histogram.ts";

/** What pull requests wait for. */
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

/** A pull request in the queue, as far as it is counted. */
export interface LiveEntry {
  readonly state: EntryState;
  readonly submittedAt: number;
  /** Since when it waits for its tests; null when they have begun before. */
  readonly waitsSince: number | null;
  readonly isHeld: boolean;
  readonly isDelayed: boolean;
}

export interface LiveRun {
  readonly kind: TestRunKind;
  readonly since: number;
  readonly isConcluded: boolean;
  /** Its failed checks were re-run; absent = they were not. */
  readonly retried?: "begun" | "refused";
  /** Quarantined tests failed in it, and did not count; absent = none. */
  readonly isForgiven?: true;
}

/** Something of the last hour: what it was, and how many seconds it took. */
export interface RecentValue {
  readonly at: number;
  readonly what: "merged" | "failed" | "cancelled" | "restart" | "wait" | "test" | "in_queue";
  readonly kind: TestRunKind;
  readonly seconds: number;
}

/** What is counted of a queue: a fold of its log, so that any replica counts the same. */
export interface Tally {
  /** The last event that is counted. */
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
  /** Seconds that pull requests have waited, summed over all of them. */
  /** Test runs whose failed checks were re-run because only known flakes had failed, by what came of it. */
  readonly flakyRetries: ReadonlyMap<string, number>;
  /** Test runs that passed although tests failed which are known to be flaky, or quarantined, by which of the two. */
  readonly spared: ReadonlyMap<string, number>;
  readonly waited: Readonly<Record<WaitCause, number>>;
  readonly tests: Readonly<Record<TestRunKind, Histogram>>;
  readonly inQueue: Histogram;
  readonly treeMismatches: number;
  readonly recent: readonly RecentValue[];
}

export const nothingCounted: Tally = {
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
  waited: { readiness: 0, paused: 0, batch: 0, capacity: 0, predecessors: 0, infrastructure: 0, ci: 0 },
  tests: { main: noValues, bisection: noValues },
  inQueue: noValues,
  treeMismatches: 0,
  recent: [],
};

export function serializeTally(tally: Tally): string {
  return JSON.stringify({
    ...tally,
    live: [...tally.live],
    runs: [...tally.runs],
    transitions: [...tally.transitions],
    runsEnded: [...tally.runsEnded],
    flakyRetries: [...tally.flakyRetries],
    spared: [...tally.spared],
  });
}

export function deserializeTally(text: string): Tally {
  // One that is older than retries has none.
  const { live, runs, transitions, runsEnded, flakyRetries = [], spared = [], ...rest } = JSON.parse(text);
  return {
    ...rest,
    live: new Map(live),
    runs: new Map(runs),
    transitions: new Map(transitions),
    runsEnded: new Map(runsEnded),
    flakyRetries: new Map(flakyRetries),
    spared: new Map(spared),
  };
}
