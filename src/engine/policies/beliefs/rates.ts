/** The counts of a queue. Each starts with a weak assumption: 5 % of entries bad, 1.7 % flakes, 3 % of neighbours conflict. */
export interface Rates {
  /** Entries that ended by merging or failing. */
  readonly decided: number;
  /** Of these, the failures by their own fault. The other failures count as conflicts. */
  readonly ownFaults: number;
  readonly runs: number;
  readonly flakes: number;
  /** The sum of `exposure` over the decided entries. */
  readonly exposures: number;
  readonly conflicts: number;
  /** How often each check flaked, by name. */
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

/** Returns the probability that a run fails because of a flake. */
export function flakeRate({ flakes, runs }: Rates): number {
  return Math.max(0.002, flakes / runs);
}

/** Returns the probability that two neighbours conflict. */
export function conflictRate({ conflicts, exposures }: Rates): number {
  return clamped(conflicts / exposures, 0.002, 0.2);
}

/** Returns the probability that a pull request is bad by itself, if nothing else is known about it. */
export function faultRate({ ownFaults, decided }: Rates): number {
  return clamped(ownFaults / decided, 0.01, 0.5);
}

/** Returns the probability that an entry is bad, given its own risk and its number of neighbours. */
export function priorOf(rates: Rates, own: number, neighbours: number): number {
  return 1 - (1 - own) * (1 - conflictRate(rates)) ** neighbours;
}

/** Returns the rates after an entry has merged or failed. */
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

/** Returns the rates after a failure turned out to be a flake of these checks. */
export function afterFlake(rates: Rates, checks: readonly string[]): Rates {
  const flakyChecks = { ...rates.flakyChecks };
  for (const name of checks) flakyChecks[name] = (flakyChecks[name] ?? 0) + 1;
  return { ...rates, flakes: rates.flakes + 1, flakyChecks };
}

function clamped(value: number, min: number, max: number): number {
  return Math.min(max, Math.max(min, value));
}
