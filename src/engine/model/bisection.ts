import type { Reason } from "../reasons/reason.ts";
import type { Members } from "./test-run.ts";

/**
 * The search for the culprit of a failed batch. P(k) is the base plus the first k members. P(green) is known to pass,
 * and P(red) is known to fail. When `red` is `green + 1`, member number `red` (counted from 1) is the culprit.
 */
export interface Bisection {
  readonly id: string;
  /** In the order in which they will merge. */
  readonly members: Members;
  readonly green: number;
  /** The run that passed on P(green); null while green is 0, which is the base itself. */
  readonly greenRunId: string | null;
  readonly red: number;
  /** The run that failed on P(red); null if a longer prefix passed since, which shows that the failure was a flake. */
  readonly redRunId: string | null;
  /** Why P(red) failed. */
  readonly failure: Reason;
  readonly startedAt: number;
}
