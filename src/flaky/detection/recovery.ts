import { type DetectionSettings, defaultDetectionSettings } from "./settings.ts";

/** How often a test ran and failed lately, on any branch. Suspect uploads and skipped runs are not counted. */
export interface RunCount {
  readonly runs: number;
  readonly failures: number;
}

/** What a flaky test still has to show in order to recover. */
export interface Recovery {
  /** The time since which it has been clean. */
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

/** The estimated failure rate (Krichevsky and Trofimov), which is never 0 or 1. */
export function failureRate({ runs, failures }: RunCount): number {
  return (failures + 0.5) / (Math.max(runs, failures) + 1);
}

/**
 * The number of clean runs in a row that are unlikely for a test with this failure rate. Counted in runs, not days, because a test may run
 * ten or a thousand times a week.
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
