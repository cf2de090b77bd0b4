import { type DetectionSettings, defaultDetectionSettings, hour } from "./detection/settings.ts";
import { defaultQuarantineSettings, type QuarantineSettings } from "./quarantine/settings.ts";

/** What people can set about the tests of a repository. */
export interface TestSettings {
  /** Off: nothing is forgiven. */
  readonly quarantining: boolean;
  /** How long a quarantine lasts unless it says otherwise. */
  readonly quarantineDays: number;
  /** Tests that may be quarantined automatically: so many, or so large a share of the repository's, whichever is more. */
  readonly quarantineMaxTests: number;
  readonly quarantineMaxShare: number;
  /** So many failures of one upload are not many; more may be an outage, and so may be as many if they are so large a share. */
  readonly outageFailures: number;
  readonly outageShare: number;
  /** Hours of 14 days in which a test has to pass and fail on one tree, if little else does. */
  readonly flakyEpisodes: number;
  /** Failures in a row on stable branches. */
  readonly brokenFailures: number;
  /** Clean runs that a flaky test needs at least, and for how long. */
  readonly recoveryRuns: number;
  readonly recoveryHours: number;
  /** Whether the queue re-runs a check once if only new tests failed in it. */
  readonly retryNewTests: boolean;
  /** Whether an issue is opened for each flaky or broken test. */
  readonly issues: boolean;
  /** Put on these issues. */
  readonly issueLabels: readonly string[];
}

/** What is to change; null = as it is by default, for now and later. */
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

/**
 * How far settings can go. None of them blinds detection: a lone flaky failure is never an outage, what has to be seen lies within
 * the 14 days that are looked back on, and a test that was found can recover.
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

/** What quarantine goes by. */
export function quarantineSettingsOf(settings: TestSettings): QuarantineSettings {
  return {
    enabled: settings.quarantining,
    budget: { tests: settings.quarantineMaxTests, share: settings.quarantineMaxShare },
    expiry: settings.quarantineDays * 24 * hour,
  };
}

/** What detection goes by. */
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
