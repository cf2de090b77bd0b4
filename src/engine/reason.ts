import { namesOf } from "./named-tests.ts";
import { type Objection, renderObjection } from "./objection.ts";
import { type Obstacle, type ObstacleCode, renderObstacle } from "./obstacle.ts";
import { adviseOn, type RefusalCause } from "./refusal-cause.ts";
import { asClause } from "./sentence.ts";

/**
 * Why something happened: data first, text second. Every transition of an entry, every change of a queue's
 * state and every refusal carries one of these; `renderReason` derives the sentence that people read.
 */
export type Reason =
  | SubmissionReason
  | Objection
  | Obstacle
  | { readonly code: "OBSTACLE_GONE"; readonly was: ObstacleCode }
  | { readonly code: "READY" }
  | { readonly code: "PLACE_LOST"; readonly minutes: number }
  | { readonly code: "READINESS_TIMEOUT"; readonly hours: number }
  | { readonly code: "TESTS_STARTED" }
  | { readonly code: "MERGE_CONFLICT_WITH_BASE" }
  | { readonly code: "EMPTY_PULL_REQUEST" }
  | { readonly code: "NO_REQUIRED_CHECKS" }
  | { readonly code: "CONFIGURATION_INVALID"; readonly message: string }
  | { readonly code: "PERMISSION_DENIED"; readonly message: string }
  | { readonly code: "RETRIES_EXHAUSTED"; readonly message: string }
  | { readonly code: "TESTS_PASSED" }
  | { readonly code: "FLAKY_TESTS_RETRIED"; readonly tests: readonly string[] }
  | { readonly code: "RETRY_REFUSED"; readonly message: string }
  | { readonly code: "SUCCESSOR_PASSED"; readonly pr: number }
  | { readonly code: "IMPLIED_BY_BISECTION" }
  | { readonly code: "CHECKS_FAILED"; readonly checks: readonly FailedCheck[] }
  | {
      readonly code: "TESTS_CANCELLED";
      readonly checks: readonly FailedCheck[];
      /** In a row. */
      readonly times: number;
    }
  | {
      readonly code: "TESTING_TIMEOUT";
      readonly minutes: number;
      readonly missing: readonly string[];
      readonly pending: readonly string[];
    }
  | { readonly code: "RESTARTED"; readonly by: string }
  | { readonly code: "BASE_MOVED"; readonly sha: string }
  | { readonly code: "AHEAD_FAILED"; readonly pr: number }
  | { readonly code: "AHEAD_CANCELLED"; readonly pr: number }
  | { readonly code: "AHEAD_RESTARTED"; readonly pr: number }
  | { readonly code: "AHEAD_MERGED_BY_HAND"; readonly pr: number }
  | { readonly code: "AHEAD_HELD"; readonly pr: number }
  | { readonly code: "TARGETS_CHANGED" }
  | { readonly code: "CONFLICT_WITH_AHEAD"; readonly prs: readonly number[] }
  | { readonly code: "INTERRUPTED_BY_URGENT"; readonly pr: number }
  | { readonly code: "RETESTED" }
  | { readonly code: "PASSED_ALONE" }
  | { readonly code: "OVERTAKEN"; readonly pr: number }
  | { readonly code: "SLOT_NEEDED" }
  | { readonly code: "VERDICT_KNOWN" }
  | { readonly code: "BISECTION_REQUIRED" }
  | { readonly code: "INFRASTRUCTURE_ERROR"; readonly message: string; readonly attempt: number }
  | {
      readonly code: "MERGED_IN_ORDER";
      readonly sha: string;
      readonly proof: MergeProof;
      /** With the proof `successor`: the run that passed. */
      readonly verifiedBy?: string;
      /** Quarantined tests whose failures did not count. */
      readonly forgiven?: readonly string[];
      /** Tests that are known to be flaky, and for which the checks were begun again. */
      readonly retried?: readonly string[];
    }
  | { readonly code: "DIRECT_MERGED"; readonly sha: string; readonly proof: MergeProof }
  | { readonly code: "MERGED_BY_OTHERS"; readonly sha: string | null }
  | { readonly code: "MERGE_REFUSED"; readonly message: string; readonly cause?: RefusalCause }
  | {
      readonly code: "MERGING_NOT_ALLOWED";
      readonly message: string;
      readonly cause?: RefusalCause;
      /** The pull request that left the queue because of it, before it was known to meet others. */
      readonly left?: number;
    }
  | { readonly code: "BUILDING_NOT_ALLOWED"; readonly message: string; readonly cause: RefusalCause }
  | { readonly code: "HEAD_CHANGED" }
  | TreeMismatch
  | { readonly code: "CANCELLED_BY_USER"; readonly by: string }
  | { readonly code: "CANCELLED_BY_API"; readonly by: string }
  | { readonly code: "LABEL_REMOVED"; readonly by: string }
  | { readonly code: "AUTO_MERGE_DISABLED"; readonly by: string }
  | { readonly code: "PR_CLOSED" }
  | { readonly code: "PUSHED_TO"; readonly sha: string }
  | { readonly code: "BASE_BRANCH_CHANGED"; readonly branch: string }
  | { readonly code: "CONVERTED_TO_DRAFT" }
  | {
      readonly code: "CONFIGURED";
      readonly by: string;
      /** Why, in their own words; absent = they gave no reason. */
      readonly note?: string;
    };

export type ReasonCode = Reason["code"];

export interface SubmissionReason {
  readonly code:
    | "SUBMITTED_BY_USER"
    | "SUBMITTED_BY_LABEL"
    | "SUBMITTED_BY_AUTO_MERGE"
    | "SUBMITTED_BY_CHECK"
    | "SUBMITTED_BY_API"
    | "SUBMITTED_BY_ACTION";
  readonly by: string;
}

/** The base holds a tree that no test saw. */
export interface TreeMismatch {
  readonly code: "TREE_MISMATCH";
  readonly pr: number;
  readonly sha: string;
  readonly expectedTree: string;
  readonly actualTree: string;
}

export interface FailedCheck {
  readonly name: string;
  readonly conclusion: string;
  readonly url: string | null;
}

/** How it is known that what was merged has passed. */
export type MergeProof =
  /** It is the tested commit. */
  | "exact"
  /** It has the tested commit's tree. */
  | "same_tree"
  /** Merges that it does not depend on came between; its tree is what these and the tested commit make together. */
  | "composed"
  /** It is a step towards a tested tree, which its batch has made together. */
  | "batch"
  /** A tree that contains it passed, and so it was not tested to its end (`canOptimisticallyMerge`). */
  | "successor"
  /** It has the tree of its own head, which held the base and had passed every required check (`directMergeMode`). */
  | "head";

/** The proof as words that follow "it is". */
export function renderProof(proof: MergeProof): string {
  switch (proof) {
    case "exact":
      return "the very commit that passed";
    case "same_tree":
      return "the very tree that passed";
    case "composed":
      return "what passed, together with merges that it does not depend on";
    case "batch":
      return "part of a batch whose tree passed";
    case "successor":
      return "part of the tree behind it that passed";
    case "head":
      return "the very tree of its head, which was up to date and had passed";
    default:
      return assertNever(proof);
  }
}

/**
 * The reason as a sentence without a full stop, fit for a check's title. `foreign` makes what somebody else has written safe for
 * where it is shown; as plain text, it is.
 */
export function renderReason(reason: Reason, foreign: (text: string) => string = (text) => text): string {
  const said = (text: string) => foreign(asClause(text));
  const all = (texts: readonly string[]) => texts.map((text) => foreign(text)).join(", ");
  switch (reason.code) {
    case "SUBMITTED_BY_USER":
      return `submitted by @${foreign(reason.by)}`;
    case "SUBMITTED_BY_LABEL":
      return `submitted by @${foreign(reason.by)} with a label`;
    case "SUBMITTED_BY_AUTO_MERGE":
      return `submitted by @${foreign(reason.by)}, who enabled auto-merge`;
    case "SUBMITTED_BY_CHECK":
      return `submitted by @${foreign(reason.by)}, who re-ran the check`;
    case "SUBMITTED_BY_API":
      return `submitted through the API by ${foreign(reason.by)}`;
    case "SUBMITTED_BY_ACTION":
      return `submitted from a workflow by ${foreign(reason.by)}`;
    case "READY":
      return "ready to be tested";
    case "PLACE_LOST":
      return `ready to be tested again, but not within ${reason.minutes} minutes, so that it waits behind what was submitted before now`;
    case "READINESS_TIMEOUT":
      return `not ready to be tested within ${reason.hours} hours`;
    case "TESTS_STARTED":
      return "tests started";
    case "MERGE_CONFLICT_WITH_BASE":
      return "conflicts with the target branch";
    case "EMPTY_PULL_REQUEST":
      return "adds nothing to the target branch: everything in it is already there";
    case "NO_REQUIRED_CHECKS":
      return "no required checks are configured, so nothing could prove that the tests passed";
    case "CONFIGURATION_INVALID":
      return `the queue's configuration is invalid: ${said(reason.message)}`;
    case "PERMISSION_DENIED":
      return `GitHub denied permission: ${said(reason.message)}`;
    case "RETRIES_EXHAUSTED":
      return `gave up after repeated errors: ${said(reason.message)}`;
    case "TESTS_PASSED":
      return "all required checks passed";
    case "FLAKY_TESTS_RETRIED":
      return `failed checks run again, because only tests failed that are known to be flaky: ${foreign(namesOf(reason.tests))}`;
    case "RETRY_REFUSED":
      return `failed checks could not be begun again: ${said(reason.message)}`;
    case "SUCCESSOR_PASSED":
      return `#${reason.pr} behind it, whose tests contain it, passed`;
    case "IMPLIED_BY_BISECTION":
      return "passed as part of a set that was tested";
    case "CHECKS_FAILED":
      return `required ${plural("check", reason.checks.length)} failed: ${all(reason.checks.map(({ name }) => name))}`;
    case "TESTS_CANCELLED":
      return `your workflow cancels itself: ${all(reason.checks.map(({ name }) => name))} ended as cancelled ${reason.times} times in a row, and the queue did not cancel it; its concurrency group has to contain the branch, as in ci-$\{{ github.ref }}`;
    case "TESTING_TIMEOUT":
      return `tests did not finish within ${reason.minutes} minutes${listed("never reported", reason.missing, all)}${listed("still running", reason.pending, all)}`;
    case "RESTARTED":
      return `tests restarted by ${foreign(reason.by)}`;
    case "BASE_MOVED":
      return "the target branch moved from outside the queue";
    case "AHEAD_FAILED":
      return `#${reason.pr} ahead failed`;
    case "AHEAD_CANCELLED":
      return `#${reason.pr} ahead was cancelled`;
    case "AHEAD_RESTARTED":
      return `#${reason.pr} ahead was restarted`;
    case "AHEAD_MERGED_BY_HAND":
      return `#${reason.pr} ahead was merged by hand`;
    case "TARGETS_CHANGED":
      return "its impacted targets changed";
    case "AHEAD_HELD":
      return `#${reason.pr} ahead could not be built`;
    case "CONFLICT_WITH_AHEAD":
      return `conflicts with what is ahead (${reason.prs.map((pr) => `#${pr}`).join(", ")}) and waits for it`;
    case "INTERRUPTED_BY_URGENT":
      return `interrupted by urgent #${reason.pr}`;
    case "RETESTED":
      return "tested again, to find out whether it is at fault";
    case "PASSED_ALONE":
      return "passed by itself, and is to be tested on what merges before it";
    case "OVERTAKEN":
      return `#${reason.pr} merged, and its tests do not contain that`;
    case "SLOT_NEEDED":
      return "its slot was needed for what has not been tested yet";
    case "VERDICT_KNOWN":
      return "what it was to find out is known";
    case "BISECTION_REQUIRED":
      return "its batch failed and is being bisected";
    case "INFRASTRUCTURE_ERROR":
      return `will be tried again after an error (attempt ${reason.attempt}): ${said(reason.message)}`;
    case "MERGED_IN_ORDER":
      return `merged as ${reason.sha.slice(0, 7)}`;
    case "DIRECT_MERGED":
      return `merged directly as ${reason.sha.slice(0, 7)}`;
    case "MERGED_BY_OTHERS":
      return "merged outside the queue";
    case "MERGE_REFUSED":
      return `GitHub refused the merge: ${said(reason.message)}${advised(reason.cause)}`;
    case "MERGING_NOT_ALLOWED":
      return `the queue may not merge here: ${said(reason.message)}${advised(reason.cause)}${resubmitted(reason.left)}`;
    case "BUILDING_NOT_ALLOWED":
      return `GitHub refuses the branches that the queue makes: ${said(reason.message)}${advised(reason.cause)}, then set the queue to running`;
    case "HEAD_CHANGED":
      return "was pushed to while it was being merged";
    case "TREE_MISMATCH":
      return `#${reason.pr} was merged as ${reason.sha.slice(0, 7)} with tree ${reason.actualTree.slice(0, 7)}, but ${reason.expectedTree.slice(0, 7)} was tested`;
    case "CANCELLED_BY_USER":
      return `cancelled by @${foreign(reason.by)}`;
    case "CANCELLED_BY_API":
      return `cancelled through the API by ${foreign(reason.by)}`;
    case "LABEL_REMOVED":
      return `cancelled: @${foreign(reason.by)} removed the label`;
    case "AUTO_MERGE_DISABLED":
      return `cancelled: @${foreign(reason.by)} disabled auto-merge`;
    case "PR_CLOSED":
      return "closed";
    case "PUSHED_TO":
      return `pushed to (${reason.sha.slice(0, 7)}), which nobody has submitted`;
    case "BASE_BRANCH_CHANGED":
      return `its base branch was changed to ${foreign(reason.branch)}`;
    case "CONVERTED_TO_DRAFT":
      return "converted to a draft";
    case "CHANGES_REQUESTED":
    case "REVIEW_REQUIRED":
    case "CONVERSATIONS_OPEN":
    case "DEPENDS_ON":
      return renderObjection(reason);
    case "APP_SUSPENDED":
    case "APP_UNINSTALLED":
    case "APP_PERMISSIONS_NOT_GRANTED":
    case "REPOSITORY_UNREACHABLE":
    case "REPOSITORY_ARCHIVED":
    case "BRANCH_MISSING":
      return renderObstacle(reason, foreign);
    case "OBSTACLE_GONE":
      return `what stopped it is gone (${reason.was})`;
    case "CONFIGURED":
      return `set by ${foreign(reason.by)}${reason.note === undefined ? "" : `: ${said(reason.note)}`}`;
    default:
      return assertNever(reason);
  }
}

/** Makes a switch over a closed union exhaustive at compile time, and loud at run time. */
export function assertNever(value: never): never {
  throw new Error(`unexpected value: ${JSON.stringify(value)}`);
}

function advised(cause: RefusalCause | undefined): string {
  return cause === undefined ? "" : `; ${adviseOn(cause)}`;
}

function resubmitted(pr: number | undefined): string {
  const again = pr === undefined ? "" : ` and submit #${pr} again, which had to leave`;
  return `; then set the queue to running${again}`;
}

function plural(noun: string, count: number): string {
  return count === 1 ? noun : `${noun}s`;
}

function listed(
  label: string,
  names: readonly string[],
  render: (names: readonly string[]) => string,
): string {
  return names.length === 0 ? "" : `; ${label}: ${render(names)}`;
}
