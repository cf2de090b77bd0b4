/** What detection goes by. Times in milliseconds, rates as fractions of 1. */
export interface DetectionSettings {
  readonly infrastructure: {
    /** So many failures are not many. */
    readonly fewFailures: number;
    /** More than this many times the median of recent uploads is. */
    readonly medians: number;
    readonly share: number;
  };
  readonly flips: {
    /** What a flip weighs while at most so many tests flip together; what is beyond all of them weighs `crowdWeight`. */
    readonly weights: readonly { readonly tests: number; readonly weight: number }[];
    readonly crowdWeight: number;
    /** Flips closer to one another are one episode: one cause. */
    readonly episode: number;
    readonly window: number;
    readonly needed: number;
  };
  /** For tests that fail often: it is quick. */
  readonly cusum: CusumSettings;
  /** For tests that fail seldom. */
  readonly slowCusum: CusumSettings;
  /** Flips of one pull request make a test flaky only there; these two say what makes it flaky for all. */
  readonly independent: {
    readonly pullRequests: number;
    /** So many tests can one pull request's flips count against. */
    readonly mostTests: number;
    /** The alarm of `cusum` for a test that has flipped in a pull request. */
    readonly alarm: number;
  };
  readonly broken: { readonly failures: number; readonly trees: number };
  /** When a flaky test is broken by now. */
  readonly worsening: {
    readonly brokenRate: number;
    readonly lowestUsual: number;
    readonly highestUsual: number;
    readonly alarm: number;
    readonly failures: number;
    readonly sources: number;
    /** How often failures have a message that was never seen before: of a broken test, and of a flaky one. */
    readonly newMessages: { readonly broken: number; readonly flaky: number };
  };
  readonly recovery: {
    /** How likely a test that is still flaky may look clean. */
    readonly risk: number;
    readonly leastRuns: number;
    readonly mostRuns: number;
    readonly leastTime: number;
  };
}

export interface CusumSettings {
  readonly healthyRate: number;
  readonly flakyRate: number;
  readonly alarm: number;
  readonly streaks: number;
}

export const minute = 60_000;
export const hour = 60 * minute;
export const day = 24 * hour;

export const defaultDetectionSettings: DetectionSettings = {
  infrastructure: { fewFailures: 20, medians: 6, share: 0.05 },
  flips: {
    weights: [
      { tests: 2, weight: 1 },
      { tests: 10, weight: 0.4 },
    ],
    crowdWeight: 0.25,
    episode: hour,
    window: 14 * day,
    needed: 1,
  },
  cusum: { healthyRate: 0.001, flakyRate: 0.05, alarm: 9.2, streaks: 2 },
  slowCusum: { healthyRate: 0.001, flakyRate: 0.01, alarm: 6.5, streaks: 3 },
  independent: { pullRequests: 2, mostTests: 8, alarm: 4.6 },
  broken: { failures: 3, trees: 2 },
  worsening: {
    brokenRate: 0.9,
    lowestUsual: 0.02,
    highestUsual: 0.6,
    alarm: 5.3,
    failures: 2,
    sources: 2,
    newMessages: { broken: 0.9, flaky: 0.15 },
  },
  recovery: { risk: 0.05, leastRuns: 20, mostRuns: 2_000, leastTime: day },
};
