import { type DetectionSettings, defaultDetectionSettings } from "./settings.ts";

/** How many tests of an upload failed at their first attempts. */
export interface UploadSize {
  readonly tests: number;
  readonly failed: number;
}

/** Uploads whose failures are remembered. */
export const rememberedUploads = 200;

/**
 * So much failed that it says something about the machine, the network or the build, and nothing about single tests. Such an upload
 * still fails CI; it is no evidence, and enters no rate.
 *
 * `recent`: the failures of up to 200 uploads before it that failed somewhere and were not suspect.
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
