/** The parameters of a generated repository. Rates are per day, shares are fractions of 1. */
export interface FlakyWorld {
  readonly tests: number;
  /** The share of tests that sometimes fail without cause. */
  readonly flaky: number;
  /** Failure rates of flaky tests (log-normal): the median, and how much the rates vary. */
  readonly rates: { readonly median: number; readonly spread: number };
  readonly days: number;
  readonly pullRequests: number;
  /** Among the uploads with a failure, the share whose failed jobs are re-run. */
  readonly reruns: number;
  /** Among these re-runs, the share on a newer base: the head is the same, but the tree is not. */
  readonly newBases: number;
  /** The share of pushes that break tests. */
  readonly regressions: number;
  /** The share of pull requests that make tests fail sometimes, through a race of their own. */
  readonly races: number;
  /** The share of pull requests that are green alone and break one of a few tests in the queue. */
  readonly caught: number;
  /** Periods of hours in which a stable branch breaks tests. */
  readonly breakages: number;
  /** Periods of about an hour in which most runs lose many tests at once. */
  readonly outages: number;
  /** Single runs that lose a few tests at once. */
  readonly blips: number;
  /** The share of tests that share their name with another one. */
  readonly twins: number;
  /** Jobs of a matrix that upload under one name. Some breakages affect only one leg. */
  readonly legs: number;
  /** The share of pull requests for a release branch, on which other tests are broken for days. */
  readonly release: number;
  /** Renames of tests. */
  readonly renames: number;
  /** Number of tests that fail together when their order changes, in groups of six. */
  readonly orderDependent: number;
  /** Number of flaky tests that break for good, in the whole period. */
  readonly brokenForGood: number;
  readonly uploads: { readonly stable: boolean; readonly queue: boolean };
}

const plain: FlakyWorld = {
  tests: 2_830,
  flaky: 0.04,
  rates: { median: 0.008, spread: 1.5 },
  days: 21,
  pullRequests: 40,
  reruns: 0.6,
  newBases: 0.05,
  regressions: 0.15,
  races: 0,
  caught: 0,
  breakages: 0.7,
  outages: 0,
  blips: 0,
  twins: 0,
  legs: 1,
  release: 0,
  renames: 0,
  orderDependent: 0,
  brokenForGood: 0,
  uploads: { stable: true, queue: true },
};

const wild: FlakyWorld = { ...plain, races: 0.05, caught: 0.05, outages: 0.4, blips: 1.5, brokenForGood: 8 };

/** The worlds in which detection is measured. */
export const flakyWorlds = {
  plain,
  "no re-runs": { ...plain, reruns: 0 },
  "many alike": { ...plain, flaky: 0.05, rates: { median: 0.015, spread: 0.5 } },
  "many alike, no re-runs": { ...plain, flaky: 0.05, rates: { median: 0.015, spread: 0.5 }, reruns: 0 },
  outages: { ...plain, outages: 0.5, blips: 2 },
  "races of pull requests": { ...plain, races: 0.15 },
  "broken for good, no stable uploads": {
    ...plain,
    brokenForGood: 25,
    uploads: { stable: false, queue: true },
  },
  "two tests of one name": { ...plain, twins: 0.08 },
  "legs without a variant": { ...plain, legs: 3 },
  "a release branch": { ...plain, release: 0.25 },
  "renamed tests": { ...plain, renames: 6 },
  "order-dependent groups": { ...plain, orderDependent: 60, flaky: 0.02 },
  "everything, few re-runs": {
    ...wild,
    reruns: 0.2,
    twins: 0.03,
    legs: 2,
    release: 0.15,
    renames: 2,
    orderDependent: 24,
  },
  "everything, no re-runs": { ...wild, reruns: 0, twins: 0.03, release: 0.15, renames: 2 },
} as const satisfies Readonly<Record<string, FlakyWorld>>;

export type FlakyWorldName = keyof typeof flakyWorlds;
