import { type DetectionSettings, defaultDetectionSettings, hour } from "./detection/settings.ts";
import { defaultQuarantineSettings, type QuarantineSettings } from "./quarantine/decide-quarantine.ts";

export interface TestSettings {
  /** Off: no failure is forgiven. */
  readonly quarantining: boolean;
  /** The default duration of a quarantine. */
  readonly quarantineDays: number;
  /**
   * The maximum number of automatically quarantined tests: this number, or the share of the repository's tests, whichever is
   * larger.
   */
  readonly quarantineMaxTests: number;
  readonly quarantineMaxShare: number;
  /**
   * An upload with fewer failures is never an outage. With more, it is one if its failures are at least `outageShare` of its tests, or far
   * more than in recent uploads.
   */
  readonly outageFailures: number;
  readonly outageShare: number;
  /** The number of hours within 14 days in which a test has to pass and fail on one tree to be flaky, if few other tests do so. */
  readonly flakyEpisodes: number;
  /** The number of failures in a row on stable branches that make a test broken. */
  readonly brokenFailures: number;
  /** The minimum number of clean runs and the minimum time after which a flaky test recovers. */
  readonly recoveryRuns: number;
  readonly recoveryHours: number;
  /** Whether the queue re-runs a check once if only new tests failed in it. */
  readonly retryNewTests: boolean;
  /** Whether an issue is opened for each flaky or broken test. */
  readonly issues: boolean;
  /** The labels of these issues. */
  readonly issueLabels: readonly string[];
}

/** The settings to change; null = use the default, also if the default changes later. */
export type TestSettingChanges = { readonly [Key in keyof TestSettings]?: TestSettings[Key] | null };

const { budget, expiry, enabled } = defaultQuarantineSettings;
const { infrastructure, flips, broken, recovery } = defaultDetectionSettings;

export const defaultTestSettings: TestSettings = {
  quarantining: enabled,
  quarantineDays: expiry / (24 * hour),
  quarantineMaxTests: budget.tests,
  quarantineMaxShare: budget.share,
  outageFailures: infrastructure.fewFailures,
  outageShare: infrastructure.share,
  flakyEpisodes: flips.needed,
  brokenFailures: broken.failures,
  recoveryRuns: recovery.leastRuns,
  recoveryHours: recovery.leastTime / hour,
  retryNewTests: false,
  issues: false,
  issueLabels: [],
};

/** Returns settings by their names in the API: `quarantineDays` → `quarantine_days`. */
export function apiNamed(settings: TestSettings): Record<string, TestSettings[keyof TestSettings]> {
  const snakeCased = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return Object.fromEntries(Object.entries(settings).map(([name, value]) => [snakeCased(name), value]));
}

/**
 * The bounds of the settings. Within them, no setting disables detection: a single flaky failure is never an outage, all that must be
 * observed fits into the 14 days that detection looks back, and every flaky test can recover.
 */
export const testSettingBounds = {
  quarantineDays: { least: 1, most: 365 },
  quarantineMaxTests: { least: 0, most: 10_000 },
  quarantineMaxShare: { least: 0, most: 1 },
  outageFailures: { least: 5, most: 1_000 },
  outageShare: { least: 0.01, most: 1 },
  flakyEpisodes: { least: 1, most: 5 },
  brokenFailures: { least: 2, most: 20 },
  recoveryRuns: { least: 5, most: recovery.mostRuns },
  recoveryHours: { least: 1, most: 14 * 24 },
  issueLabels: { most: 10, longest: 50 },
} as const;

export function quarantineSettingsOf(settings: TestSettings): QuarantineSettings {
  return {
    enabled: settings.quarantining,
    budget: { tests: settings.quarantineMaxTests, share: settings.quarantineMaxShare },
    expiry: settings.quarantineDays * 24 * hour,
  };
}

export function detectionSettingsOf(settings: TestSettings): DetectionSettings {
  const { outageFailures: fewFailures, outageShare: share, recoveryRuns, recoveryHours } = settings;
  return {
    ...defaultDetectionSettings,
    infrastructure: { ...infrastructure, fewFailures, share },
    flips: { ...flips, needed: settings.flakyEpisodes },
    broken: { ...broken, failures: settings.brokenFailures },
    recovery: { ...recovery, leastRuns: recoveryRuns, leastTime: recoveryHours * hour },
  };
}
