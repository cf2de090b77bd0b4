import type { TestStatus } from "../detection/status.ts";

/** The mode that a user has set for a test. */
export type QuarantineMode = "AUTO" | "ALWAYS" | "NEVER";

/** A quarantine that a user set, or that detection began. */
export interface Quarantine {
  readonly since: number;
  /** From this time on, the test's failures count again, until a user or new evidence quarantines it. */
  readonly expiresAt: number;
  readonly owner: string | null;
  readonly reason: string;
}

/** The facts that decide about one test. */
export interface QuarantineFacts {
  readonly mode: QuarantineMode;
  readonly status: TestStatus;
  /** When its runs last showed that it is flaky; null = never. */
  readonly provenAt: number | null;
  /** The test's current quarantine; null = none. */
  readonly quarantine: Quarantine | null;
  /** The number of automatic quarantines in the repository, without this test's. */
  readonly others: number;
  /** The maximum number of automatic quarantines, from `budgetOf`. */
  readonly budget: number;
}

export interface QuarantineDecision {
  readonly isQuarantined: boolean;
  readonly code: QuarantineCode;
}

export type QuarantineCode =
  | "QUARANTINING_OFF"
  | "NEVER_SET"
  | "ALWAYS_SET"
  | "FLAKY"
  | "HEALTHY"
  /** The test fails each time, which is more than flaky, so its failures count. */
  | "BROKEN"
  | "EXPIRED"
  /** Too many tests are quarantined already; users should be notified. */
  | "BUDGET_SPENT";

/**
 * Decides whether a test's failures are forgiven now. A user's setting takes precedence over detection; both end with the expiry. A
 * quarantined test keeps its place in the budget.
 */
export function decideQuarantine(
  { mode, status, provenAt, quarantine, others, budget }: QuarantineFacts,
  at: number,
  { enabled }: QuarantineSettings,
): QuarantineDecision {
  if (!enabled) return no("QUARANTINING_OFF");
  if (mode === "NEVER") return no("NEVER_SET");
  const isExpired = quarantine !== null && at >= quarantine.expiresAt;
  if (mode === "ALWAYS") return isExpired ? no("EXPIRED") : { isQuarantined: true, code: "ALWAYS_SET" };
  if (status !== "FLAKY") return no(status);
  // Evidence from before the expiry has been forgiven for long enough. Only newer evidence starts a quarantine.
  if (isExpired && (provenAt ?? 0) <= quarantine.expiresAt) return no("EXPIRED");
  if ((quarantine === null || isExpired) && others >= budget) return no("BUDGET_SPENT");
  return { isQuarantined: true, code: "FLAKY" };
}

/** A quarantine that begins now. */
export function beginQuarantine(
  at: number,
  owner: string | null,
  reason: string,
  { expiry }: QuarantineSettings,
): Quarantine {
  return { since: at, expiresAt: at + expiry, owner, reason };
}

function no(code: QuarantineCode): QuarantineDecision {
  return { isQuarantined: false, code };
}

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

/** Orders candidates for the budget by the lower bound of their failure rates, the highest first. */
export function orderByHarm<Candidate extends { readonly runs: number; readonly failures: number }>(
  candidates: readonly Candidate[],
): Candidate[] {
  const harm = new Map(candidates.map((one) => [one, wilsonInterval(one.failures, one.runs).low]));
  return candidates.toSorted((a, b) => (harm.get(b) ?? 0) - (harm.get(a) ?? 0));
}

/**
 * The 95 % confidence interval of a failure rate. Source: Wilson, "Probable inference, the law of succession, and statistical
 * inference" (1927).
 */
export function wilsonInterval(
  failures: number,
  runs: number,
): { readonly low: number; readonly high: number } {
  if (runs === 0) return { low: 0, high: 1 };
  const z = 1.959964;
  const rate = failures / runs;
  const spread = z * Math.sqrt((rate * (1 - rate) + (z * z) / (4 * runs)) / runs);
  const middle = rate + (z * z) / (2 * runs);
  const whole = 1 + (z * z) / runs;
  return { low: Math.max(0, (middle - spread) / whole), high: Math.min(1, (middle + spread) / whole) };
}
