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
  /** Among the pull requests with a race of their own, the share that is tested in the queue. None merges. */
  readonly queuedRaces: number;
  /** How often four pull requests with nothing in common make the same test fail sometimes. */
  readonly sharedRaces: number;
  /** The share of changes that are a stack of two to four pull requests into one branch. */
  readonly stacks: number;
  /** The share of pull requests that are closed and opened again under another number. */
  readonly reopened: number;
  /** The share of pull requests that break a flaky test in every run. */
  readonly brokenFlakes: number;
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
  /**
   * `legs`: each leg names its variant. A flaky test is flaky on one leg only, and a push breaks one leg only. `changing`: each run
   * has another variant.
   */
  readonly variants: "none" | "legs" | "changing";
  /** The share of pull requests for a release branch, on which other tests are broken for days. */
  readonly release: number;
  /** Renames of tests. */
  readonly renames: number;
  /** Number of tests that fail together when their order changes, in groups of six. */
  readonly orderDependent: number;
  /** Number of flaky tests that are renamed. */
  readonly renamedFlakes: number;
  /** Number of tests that a new version of a dependency makes flaky, all at once. */
  readonly bumped: number;
  /** The share of pull requests that live for eight days on an old base. */
  readonly longLived: number;
  /** Whether runs repeat a failed test once. Four in five flaky failures then pass. */
  readonly retries: boolean;
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
  queuedRaces: 0,
  sharedRaces: 0,
  stacks: 0,
  reopened: 0,
  brokenFlakes: 0,
  caught: 0,
  breakages: 0.7,
  outages: 0,
  blips: 0,
  twins: 0,
  legs: 1,
  variants: "none",
  release: 0,
  renames: 0,
  orderDependent: 0,
  renamedFlakes: 0,
  bumped: 0,
  longLived: 0,
  retries: false,
  brokenForGood: 0,
  uploads: { stable: true, queue: true },
};

const wild: FlakyWorld = { ...plain, races: 0.05, caught: 0.05, outages: 0.4, blips: 1.5, brokenForGood: 8 };

/** Nothing breaks except by races, so the share of harm is that of races. */
const racing: FlakyWorld = { ...plain, queuedRaces: 1, regressions: 0, breakages: 0 };

/** The worlds in which detection is measured. */
export const flakyWorlds = {
  plain,
  "no re-runs": { ...plain, reruns: 0 },
  "many alike": { ...plain, flaky: 0.05, rates: { median: 0.015, spread: 0.5 } },
  "many alike, no re-runs": { ...plain, flaky: 0.05, rates: { median: 0.015, spread: 0.5 }, reruns: 0 },
  outages: { ...plain, outages: 0.5, blips: 2 },
  "races of pull requests": { ...plain, races: 0.15 },
  stacks: { ...racing, stacks: 1, races: 0.3 },
  "reopened pull requests": { ...racing, races: 0.3, reopened: 1 },
  "four races on one test": { ...racing, sharedRaces: 3 },
  "flaky tests broken by pull requests": { ...plain, brokenFlakes: 0.1 },
  "a dependency makes tests flaky": { ...plain, flaky: 0.02, bumped: 40 },
  "renamed while flaky": { ...plain, renamedFlakes: 40 },
  "long-lived branches": { ...plain, longLived: 0.3, races: 0.05 },
  "retries inside the run": { ...plain, retries: true, races: 0.05 },
  "broken for good, no stable uploads": {
    ...plain,
    brokenForGood: 25,
    uploads: { stable: false, queue: true },
  },
  "two tests of one name": { ...plain, twins: 0.08 },
  "legs without a variant": { ...plain, legs: 3 },
  "one leg of three": { ...plain, legs: 3, variants: "legs" },
  "a matrix value that changes in every run": { ...plain, variants: "changing" },
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
