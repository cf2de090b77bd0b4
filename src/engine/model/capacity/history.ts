/**
 * A queue's statistics about durations and verdicts. They are bounded in size, and part of the queue's state, so that every
 * replay of the log gives the same forecasts. Lists are oldest first. Times are milliseconds.
 */
export interface History {
  /** The time from the start of a run to its verdict. */
  readonly testMs: readonly number[];
  /** The time from the start of a run to the merge of each member, including retests, divided by the time expected at the start. */
  readonly lineErrors: readonly number[];
  /** While entries waited for slots: the time between the end of one entry and the end of the next one. */
  readonly exitMs: readonly number[];
  /** When the current interval between two ends began; null while no entry waits for a slot. */
  readonly exitSince: number | null;
  /** The time from starting to wait for a slot to the merge, divided by the time expected when the wait began. */
  readonly waitErrors: readonly number[];
  /** The numbers of main runs that passed and failed; older ones count less. */
  readonly passed: number;
  readonly failed: number;
  /** The numbers of entries that merged, and that are at fault or doubted; older ones count less. */
  readonly merged: number;
  readonly rejected: number;
  /** The last entries that failed on their actual predecessors since a run last passed, without duplicates; at most `mostFailing`. */
  readonly failing: readonly number[];
  /** The number of tests that have passed so far, including those of the base. */
  readonly passes: number;
  /** When tests ended, as far as the code host tells; absent = not known, as in old snapshots. */
  readonly testEnds?: TestEnds;
  /** The number of runs that failed since a run last passed. */
  readonly redRuns: number;
  /** When the queue stopped evicting failed entries, because everything fails; null = it evicts them. */
  readonly redSince: number | null;
  /** What a test of the base alone has shown since a run last passed; null = nothing. */
  readonly baseFinding: BaseFinding | null;
  /** The number of base tests in a row without a verdict. */
  readonly uselessBaseTests: number;
  readonly capacity: Capacity;
}

/** In milliseconds since the epoch, by the code host's clock. Verdicts are read later, and in any order. */
export interface TestEnds {
  /** The last tests that passed. */
  readonly passes: readonly number[];
  /** The last test that failed; null = not known. */
  readonly failure: number | null;
}

/** What is known about the base since a test last passed. */
export interface BaseFinding {
  readonly verdict: "failed" | "unknown";
  readonly sha: string;
  /** When it is tested again, in milliseconds since the epoch; null = not before something passes. */
  readonly retryAt: number | null;
}

export const mostFailing = 100;

/** The prior for a new queue: the share of entries at fault, and the number of entries that this assumption counts as. */
const expected = { share: 0.08, weight: 25 };
/** The share of tests that fail because of conflicts and flakes. */
const otherRisk = 0.01;

/**
 * The share of entries that fail on their actual predecessors, 0 to 1.
 * @param weight the number of entries that the prior counts as
 */
export function failureRate(
  { merged, rejected }: Pick<History, "merged" | "rejected">,
  weight = expected.weight,
): number {
  return (rejected + expected.share * weight) / (merged + rejected + weight) + otherRisk;
}

/** If a row of failures is less likely than this, the tests or the base are probably broken. */
const leastChance = 0.005;
/** Two bad pull requests in a row are not an outage, however rare faults are. */
const fewest = 3;

/** Whether so many failures in a row, without a pass, are too unlikely to be independent faults. */
export function isUnlikelySeries({ merged, rejected, failing }: History, count: number): boolean {
  if (count < fewest) return false;
  // What fails now says nothing about how often entries failed before.
  const usual = failureRate({ merged, rejected: Math.max(0, rejected - failing.length) });
  return usual ** count <= leastChance;
}

/** If a row of failed test runs is less likely than this, the tests or the base are probably broken. */
const leastChanceOfRuns = 0.001;
/** The assumption for a new queue: 2 of 10 runs fail. */
const expectedRed = { failed: 2, all: 10 };

/** Whether so many test runs have failed in a row that the tests or the base are probably broken. */
export function isUnlikelyRowOfRuns({ redRuns, failed, passed }: History): boolean {
  const earlier = Math.max(0, failed - redRuns);
  const redShare = (earlier + expectedRed.failed) / (earlier + passed + expectedRed.all);
  return redShare ** redRuns <= leastChanceOfRuns;
}

/** null = there are no samples. */
export function medianOf(samples: readonly number[]): number | null {
  return samples.toSorted((a, b) => a - b)[samples.length >> 1] ?? null;
}

/** The 95th percentile; 0 = there are no samples. */
export function longOf(samples: readonly number[]): number {
  const sorted = Float64Array.from(samples).sort();
  return sorted[Math.ceil(sorted.length * 0.95) - 1] ?? 0;
}

/** The assumption for a new queue. */
const expectedTestMs = 10 * 60_000;

/** The usual duration of a test in milliseconds. */
export function usualTestMs({ testMs }: Pick<History, "testMs">): number {
  return medianOf(testMs) ?? expectedTestMs;
}

/** A finished test: its end, its duration, and the number of tests in flight when it started, itself included. Times are milliseconds. */
export interface TestSample {
  readonly at: number;
  readonly ms: number;
  readonly atOnce: number;
}

/** A queue's estimate of the number of tests that CI runs at once. */
export interface Capacity {
  /** The most recent tests, oldest first. */
  readonly samples: readonly TestSample[];
  /** The number of tests that CI runs at once; null = no limit has been found. */
  readonly limit: number | null;
  /** The number of samples since the last measurement of the limit. */
  readonly sinceLook: number;
  /** The number of measurements in a row that found no limit. */
  readonly looksWithout: number;
}

export const unknownCapacity: Capacity = { samples: [], limit: null, sinceLook: 0, looksWithout: 0 };

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
  failing: [],
  passes: 0,
  redRuns: 0,
  redSince: null,
  baseFinding: null,
  uselessBaseTests: 0,
  capacity: unknownCapacity,
};

/** A time in an entry's life from which the duration until its merge is measured. */
export interface Mark {
  readonly at: number;
  /** The expected duration from then on, not corrected by past errors. */
  readonly expectedMs: number;
  /** Set if the entry began to wait for a slot: the number of entries that had to end first. Absent = its run started. */
  readonly starts?: number;
}
