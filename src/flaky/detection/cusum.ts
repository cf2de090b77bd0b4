import { type CusumSettings, defaultDetectionSettings } from "./settings.ts";

/**
 * How much likelier the first attempts of a test on stable branches are if the test fails now and then than if it never fails: a
 * sum of log likelihood ratios that never falls below 0. No test has to run twice on one tree. Source: Page, "Continuous inspection
 * schemes" (1954).
 */
export interface Cusum {
  readonly score: number;
  /** Separate failures since the score was last 0. */
  readonly streaks: number;
  readonly isFailing: boolean;
}

export const restingCusum: Cusum = { score: 0, streaks: 0, isFailing: false };

/** Adds one run, in the order of the branch's commits. Failures in a row count once: a breakage fails each time until it is fixed. */
export function addRun(
  cusum: Cusum,
  outcome: "passed" | "failed",
  { healthyRate, flakyRate }: CusumSettings = defaultDetectionSettings.cusum,
): Cusum {
  if (outcome === "failed") {
    if (cusum.isFailing) return cusum;
    return {
      score: cusum.score + Math.log(flakyRate / healthyRate),
      streaks: cusum.streaks + 1,
      isFailing: true,
    };
  }
  if (cusum.score === 0) return cusum;
  const score = cusum.score + Math.log((1 - flakyRate) / (1 - healthyRate));
  return score <= 0 ? restingCusum : { ...cusum, score, isFailing: false };
}

export function isFlakyByCusum(
  { score, streaks }: Cusum,
  settings: CusumSettings = defaultDetectionSettings.cusum,
): boolean {
  return score >= settings.alarm && streaks >= settings.streaks;
}
