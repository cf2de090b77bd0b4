import { type DetectionSettings, defaultDetectionSettings } from "./settings.ts";

/** How many tests an upload has, and how many of them failed at their first attempts. */
export interface UploadSize {
  readonly tests: number;
  readonly failed: number;
}

/** The number of uploads whose failures are remembered. */
export const rememberedUploads = 200;

/**
 * Whether the number of failures points to the machine, the network or the build rather than to single tests. Such an upload still
 * fails CI, but is not evidence and enters no rate.
 *
 * `recent`: the numbers of failures of up to 200 earlier uploads that had failures and were not suspect.
 */
export function isSuspect(
  { tests, failed }: UploadSize,
  recent: readonly number[],
  { infrastructure }: DetectionSettings = defaultDetectionSettings,
): boolean {
  const { fewFailures, medians, share } = infrastructure;
  if (failed > Math.max(fewFailures, medians * medianOf(recent))) return true;
  return failed >= fewFailures && failed >= share * tests;
}

function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  return ((sorted[Math.floor(middle)] ?? 0) + (sorted[Math.ceil(middle)] ?? 0)) / 2;
}
