import type { MissingCheckReason } from "./missing-check-reason.ts";
import type { Objection, ReviewUnknown } from "./objection.ts";
import type { RebaseObstacle, RefusalCause } from "./refusal-cause.ts";

/**
 * Why something happened, as data. Every transition of an entry and every change of a queue's status carries a reason.
 * `renderReason` derives the sentence that people read.
 */
export type Reason =
  | SubmissionReason
  | Exclude<Objection, ReviewUnknown>
  | Obstacle
  | { readonly code: "OBSTACLE_GONE"; readonly was: ObstacleCode }
  | { readonly code: "READY" }
  | { readonly code: "PLACE_LOST"; readonly minutes: number }
  | { readonly code: "REBASED"; readonly sha: string }
  | { readonly code: "READINESS_TIMEOUT"; readonly hours: number }
  | { readonly code: "TESTS_STARTED" }
  | { readonly code: "MERGE_CONFLICT_WITH_BASE" }
  | { readonly code: "EMPTY_PULL_REQUEST" }
  | { readonly code: "REBASE_NOT_POSSIBLE"; readonly why: RebaseObstacle }
  | { readonly code: "NO_REQUIRED_CHECKS" }
  | { readonly code: "CONFIGURATION_INVALID"; readonly message: string }
  | { readonly code: "PERMISSION_DENIED"; readonly message: string }
  | { readonly code: "RETRIES_EXHAUSTED"; readonly message: string }
  | { readonly code: "TESTS_PASSED" }
  | { readonly code: "FLAKY_TESTS_RETRIED"; readonly tests: readonly string[] }
  | { readonly code: "NEW_TESTS_RETRIED"; readonly tests: readonly string[] }
  | { readonly code: "RETRY_REFUSED"; readonly message: string }
  | { readonly code: "SUCCESSOR_PASSED"; readonly pr: number }
  | { readonly code: "IMPLIED_BY_BISECTION" }
  | { readonly code: "CHECKS_FAILED"; readonly checks: readonly FailedCheck[] }
  | {
      readonly code: "TESTS_CANCELLED";
      readonly checks: readonly FailedCheck[];
      /** The number of cancelled runs in a row. */
      readonly times: number;
    }
  | {
      readonly code: "TESTING_TIMEOUT";
      readonly minutes: number;
      readonly missing: readonly string[];
      readonly pending: readonly string[];
    }
  | MissingCheckReason
  | { readonly code: "RESTARTED"; readonly by: string }
  | { readonly code: "BASE_MOVED"; readonly sha: string }
  /** `batch`: the members of the batch that failed, `pr` among them; absent = `pr` failed alone. */
  | { readonly code: "AHEAD_FAILED"; readonly pr: number; readonly batch?: readonly number[] }
  | { readonly code: "AHEAD_CANCELLED"; readonly pr: number }
  | { readonly code: "AHEAD_RESTARTED"; readonly pr: number }
  | { readonly code: "AHEAD_MERGED_BY_HAND"; readonly pr: number }
  | { readonly code: "AHEAD_HELD"; readonly pr: number }
  | { readonly code: "TARGETS_CHANGED" }
  /** The checks `added` must pass since `at`, and `removed` need not pass any more. `at` is in milliseconds since the epoch. */
  | {
      readonly code: "REQUIRED_CHECKS_CHANGED";
      readonly added: readonly string[];
      readonly removed: readonly string[];
      readonly at: number;
    }
  | { readonly code: "CONFLICT_WITH_AHEAD"; readonly prs: readonly number[] }
  | { readonly code: "INTERRUPTED_BY_URGENT"; readonly pr: number }
  | { readonly code: "RETESTED" }
  | { readonly code: "FAILED_ONCE"; readonly failure: Reason }
  | { readonly code: "PASSED_ALONE" }
  | { readonly code: "OVERTAKEN"; readonly pr: number }
  | { readonly code: "SLOT_NEEDED" }
  | { readonly code: "VERDICT_KNOWN" }
  | { readonly code: "BISECTION_REQUIRED" }
  /** The pull requests `prs` failed one after another, and nothing has passed since. */
  | {
      readonly code: "NOTHING_PASSES";
      readonly prs: readonly number[];
      /** The tip of the base, which fails its tests by itself; absent = that is not known. */
      readonly base?: string;
    }
  | { readonly code: "INFRASTRUCTURE_ERROR"; readonly message: string; readonly attempt: number }
  | {
      readonly code: "MERGED_IN_ORDER";
      readonly sha: string;
      readonly proof: MergeProof;
      /** The run that passed. Given with the proof `successor`, and always with the strategy `beliefs`. */
      readonly verifiedBy?: string;
      /** Quarantined tests whose failures did not count. */
      readonly forgiven?: readonly string[];
      /** Known flakes whose failure caused the re-run. */
      readonly retried?: readonly string[];
      /** New tests whose failure caused the re-run. */
      readonly retriedNew?: readonly string[];
    }
  | { readonly code: "DIRECT_MERGED"; readonly sha: string; readonly proof: MergeProof }
  /** `together`: the pull request with the same commit, which the queue merged; absent = it was merged outside the queue. */
  | { readonly code: "MERGED_BY_OTHERS"; readonly sha: string | null; readonly together?: number }
  | {
      readonly code: "MERGE_REFUSED";
      readonly message: string;
      readonly cause?: RefusalCause;
      /** GitHub refused to build its test commit. */
      readonly ofBuild?: true;
    }
  | {
      readonly code: "MERGING_NOT_ALLOWED";
      readonly message: string;
      readonly cause?: RefusalCause;
      /** The pull request that left the queue because of this refusal, before it was known to affect others, too. */
      readonly left?: number;
    }
  | {
      readonly code: "BUILDING_NOT_ALLOWED";
      readonly message: string;
      readonly cause: RefusalCause;
      /** As in `MERGING_NOT_ALLOWED`. */
      readonly left?: number;
    }
  | { readonly code: "HEAD_CHANGED" }
  | TreeMismatch
  | { readonly code: "CANCELLED_BY_USER"; readonly by: string }
  | { readonly code: "CANCELLED_BY_API"; readonly by: string }
  | { readonly code: "LABEL_REMOVED"; readonly by: string }
  | { readonly code: "AUTO_MERGE_DISABLED"; readonly by: string }
  /** `branch`: its branch, which was deleted, too; absent = it was not, or that is not known. */
  | { readonly code: "PR_CLOSED"; readonly branch?: string }
  | { readonly code: "PUSHED_TO"; readonly sha: string }
  | { readonly code: "BASE_BRANCH_CHANGED"; readonly branch: string }
  | { readonly code: "CONVERTED_TO_DRAFT" }
  | {
      readonly code: "CONFIGURED";
      readonly by: string;
      /** The reason that the actor gave; absent = none. */
      readonly note?: string;
    };

/** Why failed checks are re-run. */
export type RetryReason = Extract<Reason, { readonly code: "FLAKY_TESTS_RETRIED" | "NEW_TESTS_RETRIED" }>;

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

/** The base has a tree that no test covered. */
export interface TreeMismatch {
  readonly code: "TREE_MISMATCH";
  readonly pr: number;
  readonly sha: string;
  readonly expectedTree: string;
  readonly actualTree: string;
  /** The commit that somebody pushed right before the merge, which was merged onto it; absent = none, or unknown. */
  readonly pushed?: string;
}

export interface FailedCheck {
  readonly name: string;
  readonly conclusion: string;
  readonly url: string | null;
}

/** The proof that the merged tree passed. */
export type MergeProof =
  /** It is the tested commit. */
  | "exact"
  /** It has the tested commit's tree. */
  | "same_tree"
  /** Other pull requests, which it does not depend on, merged in between. Its tree combines these with the tested commit. */
  | "composed"
  /** It is a step of a batch, and the tested tree is that of the whole batch. */
  | "batch"
  /** A tree that contains it passed, so its own test did not have to finish (`canOptimisticallyMerge`). */
  | "successor"
  /** It has the tree of its own head, which contained the base and had passed every required check (`directMergeMode`). */
  | "head";

/** Why nothing can be tested or merged in a whole repository or branch. Each is also a `Reason`. */
export type Obstacle =
  | { readonly code: "APP_SUSPENDED"; readonly owner: string; readonly url: string }
  | { readonly code: "APP_UNINSTALLED"; readonly owner: string }
  /** `permissions` as in a manifest: `contents: write`. */
  | {
      readonly code: "APP_PERMISSIONS_NOT_GRANTED";
      readonly owner: string;
      readonly permissions: readonly string[];
      readonly url: string;
    }
  | { readonly code: "REPOSITORY_UNREACHABLE"; readonly repository: string }
  | { readonly code: "REPOSITORY_ARCHIVED"; readonly repository: string }
  | { readonly code: "BRANCH_MISSING"; readonly branch: string }
  /** An older service with the same App and another database works on the repository. `pr`: a pull request that shows it. */
  | { readonly code: "OLDER_INSTANCE"; readonly instance: string; readonly pr: number };

export type ObstacleCode = Obstacle["code"];

/** The meaning of a reason, and advice for the reader. Both are whole sentences. `docs/reference/reasons.md` is generated from them. */
export type ReasonGuide = {
  readonly meaning: string;
  /** The next step for the reader; null = none, because the queue continues by itself. */
  readonly advice: string | null;
} & (
  | { readonly kind: "submitted" | "waits" | "tested again" | "passed" | "merged" | "queue" }
  | { readonly kind: "left"; readonly cause: RemovalCause; readonly next: NextAction }
);

/** Why a pull request left the queue without merging, for programs. */
export const removalCauses = [
  "superseded",
  "conflict",
  "required_check_failed",
  "flaky_or_infrastructure",
  "cancelled",
  "not_ready",
  "refused",
] as const;
export type RemovalCause = (typeof removalCauses)[number];

/** What to do about a pull request, for programs. */
export const nextActions = [
  "none",
  "wait",
  "make_ready",
  "push_fix",
  "update_branch",
  "submit_new_head",
  "requeue",
  "ask_person",
] as const;
export type NextAction = (typeof nextActions)[number];
