/** What happens in a made-up repository. Rates by the day, shares as fractions of 1. */
export interface FlakyWorld {
  readonly tests: number;
  /** The share of tests that fail now and then for nothing. */
  readonly flaky: number;
  /** How often they do (log-normal): half of them less often, and by how much rates differ. */
  readonly rates: { readonly median: number; readonly spread: number };
  readonly days: number;
  readonly pullRequests: number;
  /** Of the uploads that hold a failure, those whose failed jobs somebody runs again. */
  readonly reruns: number;
  /** Of these, those that run on a newer base: the head is the same, and the tree is not. */
  readonly newBases: number;
  /** Of the pushes, those that break tests. */
  readonly regressions: number;
  /** Of the pull requests, those that make tests fail now and then: a race of their own. */
  readonly races: number;
  /** Of the pull requests, those that are green by themselves and break one of a few tests in the queue. */
  readonly caught: number;
  /** Hours in which a stable branch breaks tests. */
  readonly breakages: number;
  /** An hour or so in which most runs lose many tests at once. */
  readonly outages: number;
  /** Single runs that lose a few tests at once. */
  readonly blips: number;
  /** The share of tests that share their name with another one. */
  readonly twins: number;
  /** Jobs of a matrix that upload under one name; some breakages are those of one leg. */
  readonly legs: number;
  /** Of the pull requests, those for a release branch, on which other tests are broken for days. */
  readonly release: number;
  /** Tests that get another name. */
  readonly renames: number;
  /** Tests that fail together when their order is another one, in groups of six. */
  readonly orderDependent: number;
  /** Flaky tests that break for good, in all the time. */
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

/** The worlds that detection is measured in. */
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
