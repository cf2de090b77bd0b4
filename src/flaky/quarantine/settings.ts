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

/** Tests that may be quarantined automatically in a repository of so many. */
export function budgetOf(tests: number, { budget }: QuarantineSettings): number {
  return Math.max(budget.tests, Math.floor(tests * budget.share));
}
