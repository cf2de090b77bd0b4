import { type DetectionSettings, defaultDetectionSettings } from "./settings.ts";

/** How often a test ran and failed lately, on any branch; without what is suspect or skipped. */
export interface RunCount {
  readonly runs: number;
  readonly failures: number;
}

/** What a flaky test still has to show. */
export interface Recovery {
  /** Since when it has been clean. */
  readonly since: number;
  readonly clean: number;
  readonly needed: number;
}

export function beginRecovery(
  at: number,
  count: RunCount,
  settings: DetectionSettings = defaultDetectionSettings,
): Recovery {
  return { since: at, clean: 0, needed: cleanRunsNeeded(failureRate(count), settings) };
}

/** The rate at which it fails, as the data lets one guess (Krichevsky and Trofimov): never 0, never 1. */
export function failureRate({ runs, failures }: RunCount): number {
  return (failures + 0.5) / (Math.max(runs, failures) + 1);
}

/**
 * So many runs without a failure that a test which fails at this rate would hardly show them. Counted in runs, not days: a week is a
 * thousand runs for one test and ten for another.
 */
export function cleanRunsNeeded(
  rate: number,
  { recovery }: DetectionSettings = defaultDetectionSettings,
): number {
  const runs = Math.ceil(Math.log(recovery.risk) / Math.log(1 - rate));
  return Math.min(recovery.mostRuns, Math.max(recovery.leastRuns, runs));
}

export function hasRecovered(
  { since, clean, needed }: Recovery,
  at: number,
  { recovery }: DetectionSettings = defaultDetectionSettings,
): boolean {
  return clean >= needed && at - since >= recovery.leastTime;
}
