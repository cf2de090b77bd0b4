import { assertNever } from "../assert-never.ts";
import type { RequiredCheck } from "./checks/required-checks.ts";

/** Why a pull request does not merge without a test run. */
export type DirectMergeObstacle =
  /** Its head does not contain the base, or contains nothing else. */
  | "NOT_UP_TO_DATE"
  /** A required check on its head has failed, or has not passed yet. */
  | "CHECKS_NOT_PASSED"
  /** Without required checks, nothing can prove that its head passed. */
  | "NO_REQUIRED_CHECKS"
  /** The code host did not answer. */
  | "UNREADABLE"
  /** Something changed while its head was examined, or while it was being merged. */
  | "OVERTAKEN";

export function renderObstacle(obstacle: DirectMergeObstacle): string {
  switch (obstacle) {
    case "NOT_UP_TO_DATE":
      return "its head is not up to date with the target branch";
    case "CHECKS_NOT_PASSED":
      return "not every required check has passed on its head";
    case "NO_REQUIRED_CHECKS":
      return "no required checks are configured";
    case "UNREADABLE":
      return "GitHub did not say what its head is like";
    case "OVERTAKEN":
      return "something changed meanwhile";
    default:
      return assertNever(obstacle);
  }
}

/** The result of examining a head. `passed`: the head contains the base and more, and every required check has passed on it. */
export type HeadExamination =
  | { readonly kind: "passed"; readonly treeSha: string; readonly required?: readonly RequiredCheck[] }
  | { readonly kind: "obstacle"; readonly obstacle: DirectMergeObstacle };
