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
  readonly cusum: {
    readonly healthyRate: number;
    readonly flakyRate: number;
    readonly alarm: number;
    readonly streaks: number;
  };
  readonly broken: { readonly failures: number; readonly trees: number };
  readonly recovery: {
    /** How likely a test that is still flaky may look clean. */
    readonly risk: number;
    readonly leastRuns: number;
    readonly mostRuns: number;
    readonly leastTime: number;
  };
}

export const minute = 60_000;
export const hour = 60 * minute;
export const day = 24 * hour;

export const defaultDetectionSettings: DetectionSettings = {
  infrastructure: { fewFailures: 20, medians: 6, share: 0.05 },
  flips: {
    weights: [
      { tests: 2, weight: 1 },
      { tests: 10, weight: 0.5 },
    ],
    crowdWeight: 0.25,
    episode: hour,
    window: 14 * day,
    needed: 1,
  },
  cusum: { healthyRate: 0.001, flakyRate: 0.05, alarm: 9.2, streaks: 2 },
  broken: { failures: 3, trees: 2 },
  recovery: { risk: 0.05, leastRuns: 20, mostRuns: 2_000, leastTime: day },
};
