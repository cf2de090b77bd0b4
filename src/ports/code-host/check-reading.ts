import type { CheckFact } from "../../engine/model/checks/required-checks.ts";

/** The checks of a commit, as one reading found them. */
export interface CheckReading {
  /** The checks that may count as required checks. */
  readonly checks: readonly CheckFact[];
  /**
   * Whether no check on the commit is queued or in progress, required or not. Known only when a required
   * check is missing; otherwise false.
   */
  readonly isQuiet: boolean;
}
