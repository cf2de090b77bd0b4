/** What the queue has counted. Each count begins with a weak guess: 5 % bad, 1.7 % flakes, 3 % of the neighbours conflict. */
export interface Rates {
  /** Entries that ended by merging or failing. */
  readonly decided: number;
  /** Of these, what failed for itself; the rest is put down to conflicts. */
  readonly ownFaults: number;
  readonly runs: number;
  readonly flakes: number;
  /** How many merged neighbours the decided entries had met. */
  readonly exposures: number;
  readonly conflicts: number;
  /** How often each check failed for nothing. */
  readonly flakyChecks: Readonly<Record<string, number>>;
}

export const initialRates: Rates = {
  decided: 20,
  ownFaults: 1,
  runs: 60,
  flakes: 1,
  exposures: 50,
  conflicts: 1.5,
  flakyChecks: {},
};

/** How likely a run fails for nothing. */
export function flakeRate({ flakes, runs }: Rates): number {
  return Math.max(0.002, flakes / runs);
}

/** How likely two neighbours conflict. */
export function conflictRate({ conflicts, exposures }: Rates): number {
  return clamped(conflicts / exposures, 0.002, 0.2);
}

/** How likely a pull request of which nothing else is known is bad by itself. */
export function faultRate({ ownFaults, decided }: Rates): number {
  return clamped(ownFaults / decided, 0.01, 0.5);
}

/** How likely an entry of that own risk, exposed to so many neighbours, is bad. */
export function priorOf(rates: Rates, own: number, neighbours: number): number {
  return 1 - (1 - own) * (1 - conflictRate(rates)) ** neighbours;
}

/** The rates after an entry has merged or failed, which had met so many merged neighbours. */
export function afterDecision(rates: Rates, own: number, exposure: number, passed: boolean): Rates {
  const decided = { ...rates, decided: rates.decided + 1, exposures: rates.exposures + exposure };
  if (passed) return decided;
  const byConflict = 1 - (1 - conflictRate(rates)) ** exposure;
  const share = byConflict / (own + byConflict);
  return {
    ...decided,
    conflicts: rates.conflicts + share,
    ownFaults: rates.ownFaults + 1 - share,
  };
}

/** The rates after a failure turned out to have been for nothing. */
export function afterFlake(rates: Rates, checks: readonly string[]): Rates {
  const flakyChecks = { ...rates.flakyChecks };
  for (const name of checks) flakyChecks[name] = (flakyChecks[name] ?? 0) + 1;
  return { ...rates, flakes: rates.flakes + 1, flakyChecks };
}

function clamped(value: number, min: number, max: number): number {
  return Math.min(max, Math.max(min, value));
}
