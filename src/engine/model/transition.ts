import type { ReasonCode } from "../reasons/reason.ts";
import type { EntryState } from "./entry.ts";

/** The transition table: every transition that an entry may take, with its allowed reasons. */
const table: readonly {
  readonly from: readonly EntryState[];
  readonly to: EntryState;
  readonly reasons: readonly ReasonCode[];
}[] = [
  { from: ["not_ready"], to: "pending", reasons: ["READY", "PLACE_LOST"] },
  { from: ["not_ready"], to: "cancelled", reasons: ["READINESS_TIMEOUT"] },
  { from: ["pending"], to: "testing", reasons: ["TESTS_STARTED"] },
  {
    from: ["pending"],
    to: "failed",
    reasons: [
      "MERGE_CONFLICT_WITH_BASE",
      "EMPTY_PULL_REQUEST",
      "REBASE_NOT_POSSIBLE",
      "NO_REQUIRED_CHECKS",
      "CONFIGURATION_INVALID",
      "PERMISSION_DENIED",
      "RETRIES_EXHAUSTED",
      "TESTS_CANCELLED",
      // These two occur in a direct merge.
      "MERGE_REFUSED",
      "HEAD_CHANGED",
    ],
  },
  // The first member of a batch leaves while it is tested. By then, the other members wait again.
  { from: ["pending", "testing"], to: "failed", reasons: ["REQUIRED_CHECK_MISSING"] },
  { from: ["pending"], to: "merged", reasons: ["DIRECT_MERGED", "TREE_MISMATCH"] },
  {
    from: ["testing"],
    to: "tests_passed",
    reasons: ["TESTS_PASSED", "SUCCESSOR_PASSED", "IMPLIED_BY_BISECTION"],
  },
  // An entry ahead of a run may still wait for its own test when that run passes or fails.
  { from: ["pending"], to: "tests_passed", reasons: ["SUCCESSOR_PASSED"] },
  {
    from: ["pending", "testing"],
    to: "pending_failure",
    reasons: ["CHECKS_FAILED", "TESTING_TIMEOUT"],
  },
  {
    from: ["testing", "tests_passed", "pending_failure"],
    to: "pending",
    reasons: [
      "RESTARTED",
      "BASE_MOVED",
      "AHEAD_FAILED",
      "AHEAD_CANCELLED",
      "AHEAD_RESTARTED",
      "AHEAD_HELD",
      "TARGETS_CHANGED",
      "REQUIRED_CHECKS_CHANGED",
      "AHEAD_MERGED_BY_HAND",
      "RETESTED",
      "INTERRUPTED_BY_URGENT",
    ],
  },
  // Its verdict does not hold for the checks that must pass now, so its run goes on.
  { from: ["tests_passed", "pending_failure"], to: "testing", reasons: ["REQUIRED_CHECKS_CHANGED"] },
  {
    from: ["testing", "pending_failure"],
    to: "pending",
    reasons: ["BISECTION_REQUIRED", "INFRASTRUCTURE_ERROR", "CONFLICT_WITH_AHEAD"],
  },
  { from: ["pending_failure"], to: "pending", reasons: ["FAILED_ONCE", "NOTHING_PASSES"] },
  { from: ["testing"], to: "pending", reasons: ["PASSED_ALONE"] },
  { from: ["tests_passed"], to: "pending", reasons: ["OVERTAKEN"] },
  { from: ["pending_failure"], to: "pending", reasons: ["SUCCESSOR_PASSED"] },
  { from: ["pending_failure"], to: "tests_passed", reasons: ["SUCCESSOR_PASSED"] },
  { from: ["pending_failure"], to: "failed", reasons: ["CHECKS_FAILED", "TESTING_TIMEOUT"] },
  { from: ["tests_passed"], to: "merged", reasons: ["MERGED_IN_ORDER", "TREE_MISMATCH"] },
  { from: ["tests_passed"], to: "failed", reasons: ["MERGE_REFUSED", "HEAD_CHANGED"] },
  {
    from: ["not_ready", "pending", "testing", "tests_passed", "pending_failure"],
    to: "merged",
    reasons: ["MERGED_BY_OTHERS"],
  },
  {
    from: ["not_ready", "pending", "testing", "tests_passed", "pending_failure"],
    to: "cancelled",
    reasons: [
      "CANCELLED_BY_USER",
      "CANCELLED_BY_API",
      "LABEL_REMOVED",
      "AUTO_MERGE_DISABLED",
      "PR_CLOSED",
      "PUSHED_TO",
      "BASE_BRANCH_CHANGED",
    ],
  },
  {
    from: ["pending", "testing", "tests_passed", "pending_failure"],
    to: "not_ready",
    reasons: [
      "CHANGES_REQUESTED",
      "REVIEW_REQUIRED",
      "CONVERSATIONS_OPEN",
      "STATE_UNKNOWN",
      "HEAD_CHECKS_FAILED",
      "DEPENDS_ON",
      "PART_OF_STACK",
      "REBASED",
    ],
  },
  {
    from: ["pending", "testing", "tests_passed", "pending_failure"],
    to: "cancelled",
    reasons: ["CONVERTED_TO_DRAFT"],
  },
];

/** Whether the table has this transition with this reason. Submission has no previous state, so it is not in the table. */
export function isAllowed(from: EntryState, to: EntryState, reason: ReasonCode): boolean {
  return table.some(
    (arrow) => arrow.to === to && arrow.from.includes(from) && arrow.reasons.includes(reason),
  );
}

/** Every transition of the table, one for each reason: for tests and documentation. */
export function arrows(): { from: EntryState; to: EntryState; reason: ReasonCode }[] {
  return table.flatMap(({ from, to, reasons }) =>
    from.flatMap((state) => reasons.map((reason) => ({ from: state, to, reason }))),
  );
}
