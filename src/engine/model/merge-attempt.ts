import type { MergeProof, TreeMismatch } from "../reasons/reason.ts";
import type { RefusalCause } from "../reasons/refusal-cause.ts";
import type { PullRequestFacts } from "./pull-request-facts.ts";
import type { MergeMethod } from "./settings.ts";
import type { CommitMessage } from "./test-run.ts";

/** One pull request to merge, and what the base must look like afterwards. */
export interface MergeStep {
  readonly pr: number;
  /** null: it is merged without a test run. */
  readonly runId: string | null;
  readonly headSha: string;
  readonly treeSha: string;
  /** What the tested commit stands on; without a test run, the base. */
  readonly parentSha: string;
  /** The commit that was tested, without a test run the head itself; with `merge_commit` the base becomes exactly this. */
  readonly commitSha: string;
  /** What the tested commit says; absent = GitHub's default. */
  readonly message?: CommitMessage;
}

/** A merge that has been ordered. At most one at a time per queue; what of it was called cannot be called off any more. */
export interface MergeAttempt {
  readonly id: string;
  readonly method: MergeMethod;
  /** The tip that the base must have before the first step. */
  readonly base: string;
  readonly steps: readonly MergeStep[];
  /**
   * Merges that the tests did not contain came between: what the steps make of the base has to be computed first, and
   * `treeSha` and `commitSha` of the steps are only what was tested.
   */
  readonly composed: boolean;
  /** A pull request without a test run: its own head holds the base, and has passed. */
  readonly direct?: true;
  /** GitHub is asked by its asynchronous merge API; absent = by the surest way that the rules allow. */
  readonly by?: "async_api";
  /** The request that GitHub carries out in its own time, as far as its id is known. */
  readonly request?: { readonly pr: number; readonly id: string };
  /** So many of the first steps GitHub was, or is about to be, asked for; absent = none. */
  readonly called?: number;
  /** The highest value of `called` so far. GitHub may still carry out a call that seemed to have failed. */
  readonly everCalled?: number;
  readonly startedAt: number;
}

export interface MergedStep {
  readonly pr: number;
  readonly sha: string;
  readonly treeSha: string;
  readonly proof: MergeProof;
}

/** Why an attempt ended before its last step, which concerns the first step that did not merge. */
export type MergeStop =
  /** The base is not where it was expected: nothing of this step was written. */
  | { readonly kind: "base_moved"; readonly actual: string }
  | { readonly kind: "head_changed" }
  /** In the last moment a pull request of the steps was not what it was when it was tested: nothing of it was written. */
  | { readonly kind: "withdrawn"; readonly pullRequest: PullRequestFacts }
  /** It was to be composed with what came between, and conflicts with that: nothing of this step was written. */
  | { readonly kind: "composition_conflict" }
  /** GitHub refuses this pull request for good. */
  | { readonly kind: "refused"; readonly message: string; readonly cause?: RefusalCause }
  /** GitHub refuses it for what is not about this pull request: permission, rules or merge method. */
  | { readonly kind: "not_allowed"; readonly message: string; readonly cause?: RefusalCause }
  /** The step was merged, but not with the tree that was tested. */
  | { readonly kind: "tree_mismatch"; readonly mismatch: TreeMismatch };

export interface MergeOutcome {
  readonly merged: readonly MergedStep[];
  readonly stop: MergeStop | null;
}
