import type { RunSource } from "./pull-requests.ts";
import { failureRate, type RunCount } from "./recovery.ts";
import { type CusumSettings, type DetectionSettings, defaultDetectionSettings } from "./settings.ts";

/**
 * Compares how likely the first attempts of a test on stable branches are if it fails now and then, and if it never fails: a sum of log
 * likelihood ratios that never falls below 0. No test has to run twice on one tree. Source: Page, "Continuous inspection schemes" (1954).
 */
export interface Cusum {
  readonly score: number;
  /** Separate failures since the score was last 0. */
  readonly streaks: number;
  readonly isFailing: boolean;
}

export const restingCusum: Cusum = { score: 0, streaks: 0, isFailing: false };

/**
 * Adds one run, in the order of the branch's commits. Failures in a row count once, because broken code fails each time until it is fixed.
 */
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

/**
 * Compares how likely the runs of a flaky test on any branch are if it now fails nearly always, and if it fails as before: a sum of log
 * likelihood ratios that never falls below 0. It detects a broken test without runs on stable branches.
 */
export interface Worsening {
  readonly score: number;
  /** Failures since the score was last 0. */
  readonly failures: number;
  /** Different sources of these failures, at most as many as detection needs. */
  readonly sources: readonly string[];
  /** The test's failure rate before. */
  readonly usualRate: number;
  /** Every run since the first of these failures has failed; absent = not. */
  readonly isSteady?: boolean;
  /** One of these failures had a message that no earlier one had; absent = none. */
  readonly hasNewMessage?: boolean;
}

export const notWorsening: Worsening = { score: 0, failures: 0, sources: [], usualRate: 0 };

export interface FlakyRun {
  readonly outcome: "passed" | "failed";
  readonly source: RunSource;
  /** The test failed with a message that no earlier failure of it had. */
  readonly isNewMessage: boolean;
}

/** Adds one run. `countRuns` returns how often the test ran and failed lately, including this run. */
export function addFlakyRun(
  worsening: Worsening,
  run: FlakyRun,
  countRuns: () => RunCount,
  settings: DetectionSettings = defaultDetectionSettings,
): Worsening {
  const { brokenRate } = settings.worsening;
  if (run.outcome === "passed") {
    if (worsening.score === 0) return worsening;
    const score = worsening.score + Math.log((1 - brokenRate) / (1 - worsening.usualRate));
    return score <= 0 ? notWorsening : { ...worsening, score, isSteady: false };
  }
  const usualRate = worsening.score > 0 ? worsening.usualRate : usualRateOf(countRuns(), settings);
  const { sources } = worsening;
  const isOther = sources.length < settings.worsening.sources && !sources.includes(run.source.name);
  return {
    score: worsening.score + Math.log(brokenRate / usualRate) + (run.isNewMessage ? newMessage(settings) : 0),
    failures: worsening.failures + 1,
    sources: isOther ? [...sources, run.source.name] : sources,
    usualRate,
    isSteady: worsening.score === 0 || worsening.isSteady === true,
    hasNewMessage: worsening.hasNewMessage === true || run.isNewMessage,
  };
}

/** Whether the test is broken: it fails in more than one change, and more often than its flakiness explains. */
export function isBrokenByRuns(
  { score, failures, sources }: Worsening,
  { worsening }: DetectionSettings = defaultDetectionSettings,
): boolean {
  return score >= worsening.alarm && failures >= worsening.failures && sources.length >= worsening.sources;
}

/**
 * Whether one source has probably broken the test: it fails there more often than its flakiness explains. One failure with a new message is
 * enough, or two failures without a pass.
 */
export function isBrokenBySource(
  { score, failures, isSteady, hasNewMessage }: Worsening,
  { worsening }: DetectionSettings = defaultDetectionSettings,
): boolean {
  if (hasNewMessage) return true;
  return failures >= worsening.failures && (isSteady === true || score >= worsening.alarm);
}

function usualRateOf({ runs, failures }: RunCount, { worsening }: DetectionSettings): number {
  const rate = failureRate({ runs: runs - 1, failures: failures - 1 });
  return Math.min(worsening.highestUsual, Math.max(worsening.lowestUsual, rate));
}

/** Failures of flaky tests nearly always have a known message. */
function newMessage({ worsening }: DetectionSettings): number {
  return Math.log(worsening.newMessages.broken / worsening.newMessages.flaky);
}
