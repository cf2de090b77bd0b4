import type { TestStatus } from "../detection/status.ts";
import type { QuarantineSettings } from "./settings.ts";

/** What somebody has set for a test. */
export type QuarantineMode = "AUTO" | "ALWAYS" | "NEVER";

/** A quarantine as somebody set it, or as detection began it. */
export interface Quarantine {
  readonly since: number;
  /** After it the test counts again, until somebody or new evidence says otherwise. */
  readonly expiresAt: number;
  readonly owner: string | null;
  readonly reason: string;
}

/** What decides about one test. */
export interface QuarantineFacts {
  readonly mode: QuarantineMode;
  readonly status: TestStatus;
  /** When its runs last showed that it is flaky; null = never. */
  readonly provenAt: number | null;
  /** Its quarantine so far; null = none. */
  readonly quarantine: Quarantine | null;
  /** Automatic quarantines of the repository, without this test's. */
  readonly others: number;
  /** The most there may be, of `budgetOf`. */
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
  /** It fails each time, which no flakiness explains: its failures count. */
  | "BROKEN"
  | "EXPIRED"
  /** Too many are quarantined already: somebody is to be told. */
  | "BUDGET_SPENT";

/**
 * Whether a test's failures are forgiven now. What somebody has set beats what detection found; both end with the expiry. A test that
 * was quarantined keeps its place in the budget.
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
  // What kept it in quarantine until then was forgiven long enough; what came since has not been looked at by anybody.
  if (isExpired && (provenAt ?? 0) <= quarantine.expiresAt) return no("EXPIRED");
  if ((quarantine === null || isExpired) && others >= budget) return no("BUDGET_SPENT");
  return { isQuarantined: true, code: "FLAKY" };
}

/** The quarantine that begins now. */
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
