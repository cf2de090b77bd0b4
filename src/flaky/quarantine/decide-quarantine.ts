import type { TestStatus } from "../detection/status.ts";
import type { QuarantineSettings } from "./settings.ts";

/** The mode that a user has set for a test. */
export type QuarantineMode = "AUTO" | "ALWAYS" | "NEVER";

/** A quarantine that a user set, or that detection began. */
export interface Quarantine {
  readonly since: number;
  /** After this time the test's failures count again, until a user or new evidence quarantines it. */
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
  /** The test's present quarantine; null = none. */
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
  /** The test fails each time, which flakiness does not explain, so its failures count. */
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
  // Evidence from before the expiry has been forgiven for long enough. Only newer evidence, which nobody has looked at, starts a
  // quarantine.
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
