import type { CheckFact } from "../engine/model/checks/required-checks.ts";

/** What reported on a commit. */
export interface CheckReading {
  /** Those that may count for the required checks. */
  readonly checks: readonly CheckFact[];
  /** Nothing that reports there is queued or under way, required or not. Known only when a required check is missing; else false. */
  readonly isQuiet: boolean;
}
