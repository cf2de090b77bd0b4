import { failureRate, type RunCount } from "./recovery.ts";
import { type DetectionSettings, defaultDetectionSettings } from "./settings.ts";
import type { RunSource } from "./source.ts";

/**
 * How much likelier the runs of a flaky test are, on any branch, if it fails nearly always by now than if it fails as it used to: a sum
 * of log likelihood ratios that never falls below 0. It tells a broken test where no stable branch does.
 */
export interface Worsening {
  readonly score: number;
  /** Failures since the score was last 0. */
  readonly failures: number;
  /** Different sources of them, no more than are asked for. */
  readonly sources: readonly string[];
  /** How often it failed before. */
  readonly usualRate: number;
}

export const notWorsening: Worsening = { score: 0, failures: 0, sources: [], usualRate: 0 };

export interface FlakyRun {
  readonly outcome: "passed" | "failed";
  readonly source: RunSource;
  /** It failed with a message that no earlier failure of the test had. */
  readonly isNewMessage: boolean;
}

/** After one more run. `countRuns`: how often it ran and failed lately, this run included. */
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
    return score <= 0 ? notWorsening : { ...worsening, score };
  }
  const usualRate = worsening.score > 0 ? worsening.usualRate : usualRateOf(countRuns(), settings);
  const { sources } = worsening;
  const isOther = sources.length < settings.worsening.sources && !sources.includes(run.source.name);
  return {
    score: worsening.score + Math.log(brokenRate / usualRate) + (run.isNewMessage ? newMessage(settings) : 0),
    failures: worsening.failures + 1,
    sources: isOther ? [...sources, run.source.name] : sources,
    usualRate,
  };
}

/** A broken test: more than one change fails in it, and oftener than its flakiness explains. */
export function isBrokenByRuns(
  { score, failures, sources }: Worsening,
  { worsening }: DetectionSettings = defaultDetectionSettings,
): boolean {
  return score >= worsening.alarm && failures >= worsening.failures && sources.length >= worsening.sources;
}

/** Whether runs of one source fail so often that the source has broken it. */
export function isBrokenBySource(
  { score, failures }: Worsening,
  { worsening }: DetectionSettings = defaultDetectionSettings,
): boolean {
  return score >= worsening.alarm && failures >= worsening.failures;
}

function usualRateOf({ runs, failures }: RunCount, { worsening }: DetectionSettings): number {
  const rate = failureRate({ runs: runs - 1, failures: failures - 1 });
  return Math.min(worsening.highestUsual, Math.max(worsening.lowestUsual, rate));
}

/** Flaky tests nearly always fail with a message that is known. */
function newMessage({ worsening }: DetectionSettings): number {
  return Math.log(worsening.newMessages.broken / worsening.newMessages.flaky);
}
