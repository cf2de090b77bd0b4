/** What happens in a made-up repository. Rates by the day, shares as fractions of 1. */
export interface FlakyWorkload {
  readonly tests: number;
  /** Of them, those that fail now and then for nothing. */
  readonly flaky: number;
  readonly days: number;
  readonly pullRequests: number;
  /** Of the uploads that hold a failure, those whose job somebody runs again. */
  readonly reruns: number;
  /** Of these, those that run on a newer base: the head is the same, and the tree is not. */
  readonly newBases: number;
  /** Of the pushes, those that break tests. */
  readonly regressions: number;
  /** Of the pull requests, those that are green by themselves and break one of a few tests in the queue, which throws them out. */
  readonly caught: number;
  readonly breakages: number;
  /** An hour or so in which most runs lose many tests at once. */
  readonly outages: number;
  /** Single runs that lose a few tests at once. */
  readonly blips: number;
}

const calm: FlakyWorkload = {
  tests: 10_000,
  flaky: 80,
  days: 14,
  pullRequests: 50,
  reruns: 0.6,
  newBases: 0.05,
  regressions: 0.15,
  caught: 0,
  breakages: 1,
  outages: 0,
  blips: 0,
};

const rough: FlakyWorkload = { ...calm, outages: 0.5, blips: 2 };

export const flakyWorkloads = {
  rough,
  calm,
  "rough, few re-runs": { ...rough, reruns: 0.15 },
  "rough, no re-runs": { ...rough, reruns: 0 },
  "calm, bad ones in the queue": { ...calm, caught: 0.1 },
} as const satisfies Readonly<Record<string, FlakyWorkload>>;

export type FlakyWorkloadName = keyof typeof flakyWorkloads;

/**
 * How often flaky tests fail: quantiles of the rates that 811 flaky tests showed in 10,000 runs each, between which they are drawn.
 * Source: Alshammari and others, "FlakeFlagger" (2021), `test_results.csv`.
 */
const rateQuantiles: readonly (readonly [number, number])[] = [
  [0, 0.0001],
  [0.1, 0.0001],
  [0.5, 0.0071],
  [0.75, 0.166],
  [0.9, 0.55],
];

/** A test that fails more often is noticed without us. */
const highestRate = 0.3;

/** The failure rate at that place of the distribution, from 0 to 1. */
export function flakyRate(place: number): number {
  const at = place * placeOf(highestRate);
  const upper = rateQuantiles.findIndex(([quantile]) => quantile > at);
  const [low, lowRate] = rateQuantiles[upper - 1] ?? [0, 0.0001];
  const [high, highRate] = rateQuantiles[upper] ?? [1, highestRate];
  return lowRate * (highRate / lowRate) ** ((at - low) / (high - low));
}

function placeOf(rate: number): number {
  const upper = rateQuantiles.findIndex(([, value]) => value > rate);
  const [low, lowRate] = rateQuantiles[upper - 1] ?? [0, 0.0001];
  const [high, highRate] = rateQuantiles[upper] ?? [1, rate];
  return low + ((high - low) * Math.log(rate / lowRate)) / Math.log(highRate / lowRate);
}
