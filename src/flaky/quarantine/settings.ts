/** How quarantine goes in a repository. */
export interface QuarantineSettings {
  /** Off: nothing is quarantined, whatever else is set. */
  readonly enabled: boolean;
  /** Tests that may be quarantined automatically: so many, or so large a share of the repository's, whichever is more. */
  readonly budget: { readonly tests: number; readonly share: number };
  /** Milliseconds that a quarantine lasts unless it says otherwise. */
  readonly expiry: number;
}

export const defaultQuarantineSettings: QuarantineSettings = {
  enabled: true,
  budget: { tests: 20, share: 0.05 },
  expiry: 30 * 24 * 60 * 60_000,
};

/** From so many proofs on, a test is well proven to be flaky. */
const wellProvenAt = 3;

/** So many places are for anyone. */
const openPlaces = 20;

/** A burst of tests that were seen to be flaky once cannot use up a large budget: half of it is for those that are well proven. */
export function shareOf(budget: number, proofs: number): number {
  if (proofs >= wellProvenAt) return budget;
  return Math.max(Math.min(budget, openPlaces), Math.ceil(budget / 2));
}

/** Tests that may be quarantined automatically in a repository of so many. */
export function budgetOf(tests: number, { budget }: QuarantineSettings): number {
  return Math.max(budget.tests, Math.floor(tests * budget.share));
}
