import { type Capacity, unknownCapacity } from "./capacity.ts";

/**
 * What a queue remembers of how long things take: bounded, and part of its state, so that what is foretold from it is the
 * same wherever the log is read. Lists are oldest first, times milliseconds.
 */
export interface History {
  /** From the start of a run to its verdict. */
  readonly testMs: readonly number[];
  /** From the start of a run to the merge of each member, retests included, divided by what was expected at the start. */
  readonly lineErrors: readonly number[];
  /** While entries waited for slots: from each end of an entry to the next one. */
  readonly exitMs: readonly number[];
  /** Since when the next end is awaited; null while nothing waits for a slot. */
  readonly exitSince: number | null;
  /** From waiting for a slot to the merge, divided by what was expected when the waiting began. */
  readonly waitErrors: readonly number[];
  /** Verdicts of main runs; older ones count less. */
  readonly passed: number;
  readonly failed: number;
  /** Entries that merged, and those that were found to be at fault; older ones count less. */
  readonly merged: number;
  readonly rejected: number;
  /** Entries that failed on what they merged onto, and then passed there; older ones count less. */
  readonly flaked: number;
  /** The last entries that failed on what they merge onto since a run passed, without repetitions. */
  readonly failing: readonly number[];
  /** How many runs failed since the last one that passed. */
  readonly redRuns: number;
  /** Since when nobody is removed because everything fails; null = failures are believed. */
  readonly redSince: number | null;
  readonly capacity: Capacity;
}

/** The assumption for a new queue: this share of the entries is at fault. It counts as much as this many entries. */
const expected = { share: 0.08, weight: 25 };
/** The share of tests that fail because of conflicts and flakes. */
const otherRisk = 0.01;

/**
 * The share of entries that fail on what they merge onto, 0 to 1.
 * @param weight how many entries the assumption for a new queue counts for
 */
export function failureRate({ merged, rejected }: History, weight = expected.weight): number {
  return (rejected + expected.share * weight) / (merged + rejected + weight) + otherRisk;
}

/** Null = there are no samples. */
export function medianOf(samples: readonly number[]): number | null {
  return samples.toSorted((a, b) => a - b)[samples.length >> 1] ?? null;
}

export const noHistory: History = {
  testMs: [],
  lineErrors: [],
  exitMs: [],
  exitSince: null,
  waitErrors: [],
  passed: 0,
  failed: 0,
  merged: 0,
  rejected: 0,
  flaked: 0,
  failing: [],
  redRuns: 0,
  redSince: null,
  capacity: unknownCapacity,
};

/** A moment of an entry's life from which it is measured how long it took to merge. */
export interface Mark {
  readonly at: number;
  /** How long it was expected to take from then, errors aside. */
  readonly expectedMs: number;
  /** It began to wait for a slot, and so many entries had to go first; absent = its run started. */
  readonly starts?: number;
}
