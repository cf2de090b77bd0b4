/** The quarantine settings of a repository. */
export interface QuarantineSettings {
  /** Off: nothing is quarantined, regardless of other settings. */
  readonly enabled: boolean;
  /** The maximum number of automatically quarantined tests: `tests`, or the share of the repository's tests, whichever is larger. */
  readonly budget: { readonly tests: number; readonly share: number };
  /** The default duration of a quarantine in milliseconds. */
  readonly expiry: number;
}

export const defaultQuarantineSettings: QuarantineSettings = {
  enabled: true,
  budget: { tests: 20, share: 0.05 },
  expiry: 30 * 24 * 60 * 60_000,
};

/** The number of proofs from which a test counts as well proven to be flaky. */
const wellProvenAt = 3;

/** The number of places in the budget that are open to any test, even if it is not well proven. */
const openPlaces = 20;

/**
 * The part of the budget that a test with this many proofs may use. Half of a large budget is reserved for well proven tests, so
 * that a burst of tests that were seen to be flaky once cannot use it up.
 */
export function shareOf(budget: number, proofs: number): number {
  if (proofs >= wellProvenAt) return budget;
  return Math.max(Math.min(budget, openPlaces), Math.ceil(budget / 2));
}

/** The maximum number of automatically quarantined tests in a repository with `tests` tests. */
export function budgetOf(tests: number, { budget }: QuarantineSettings): number {
  return Math.max(budget.tests, Math.floor(tests * budget.share));
}
