/** The settings of detection. Times in milliseconds, rates as fractions of 1. */
export interface DetectionSettings {
  readonly infrastructure: {
    /** An upload with fewer failures is never suspect. */
    readonly fewFailures: number;
    /** An upload with more failures than this many times the median of recent uploads is suspect. */
    readonly medians: number;
    readonly share: number;
  };
  readonly flips: {
    /** The weight of a flip if at most `tests` tests flip together. If more flip than any step allows, the weight is `crowdWeight`. */
    readonly weights: readonly { readonly tests: number; readonly weight: number }[];
    readonly crowdWeight: number;
    /** Flips that are less than this time apart are one episode, with one cause. */
    readonly episode: number;
    readonly window: number;
    readonly needed: number;
  };
  /** For tests that fail often, which are detected quickly. */
  readonly cusum: CusumSettings;
  /** For tests that fail seldom. */
  readonly slowCusum: CusumSettings;
  /** When flips of changes that are on no stable branch make a test flaky. */
  readonly independent: {
    /** The number of changes that have nothing in common. */
    readonly changes: number;
    /** The alarm of `cusum` for a test that has flipped in such a change. */
    readonly alarm: number;
  };
  readonly broken: { readonly failures: number; readonly trees: number };
  /** When a flaky test counts as broken. */
  readonly worsening: {
    readonly brokenRate: number;
    readonly lowestUsual: number;
    readonly highestUsual: number;
    readonly alarm: number;
    readonly failures: number;
    readonly sources: number;
    /** The share of failures with a message that was never seen before: for a broken test, and for a flaky one. */
    readonly newMessages: { readonly broken: number; readonly flaky: number };
  };
  readonly recovery: {
    /** The accepted probability that a test looks clean although it is still flaky. */
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
  independent: { changes: 5, alarm: 4.6 },
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
  recovery: { risk: 0.005, leastRuns: 20, mostRuns: 2_000, leastTime: day },
};
