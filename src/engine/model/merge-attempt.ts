import { assertNever } from "../assert-never.ts";
import type { MergeProof, TreeMismatch } from "../reasons/reason.ts";
import { type RefusalCause, scopeOf } from "../reasons/refusal-cause.ts";
import type { RequiredCheck } from "./checks/required-checks.ts";
import type { PullRequestFacts } from "./entry.ts";
import type { MergeMethod } from "./settings.ts";
import type { CommitMessage } from "./test-run.ts";

/** One pull request to merge, and the expected state of the base afterwards. */
export interface MergeStep {
  readonly pr: number;
  /** null = it is merged without a test run. */
  readonly runId: string | null;
  readonly headSha: string;
  readonly treeSha: string;
  /** The parent of the tested commit; without a test run, the base. */
  readonly parentSha: string;
  /** The tested commit; without a test run, the head itself. With the method `merge_commit`, the base becomes exactly this commit. */
  readonly commitSha: string;
  /** The message of the tested commit; absent = GitHub's default. */
  readonly message?: CommitMessage;
}

/** A merge that has been ordered. A queue has at most one at a time. Steps that GitHub was asked for can no longer be recalled. */
export interface MergeAttempt {
  readonly id: string;
  readonly method: MergeMethod;
  /** The SHA that the base must have before the first step. */
  readonly base: string;
  readonly steps: readonly MergeStep[];
  /**
   * Other pull requests merged in the meantime, which the tests did not contain. The result of the steps on the current base has to be
   * computed first; `treeSha` and `commitSha` of the steps are only the tested ones.
   */
  readonly composed: boolean;
  /** It merges one pull request without a test run: the head contains the base, and has passed. */
  readonly direct?: true;
  /** The checks that have passed on the head; only for a merge without a test run. */
  readonly required?: readonly RequiredCheck[];
  /** It uses GitHub's asynchronous merge API; absent = it uses the safest of the other ways that the rules allow. */
  readonly by?: "async_api";
  /** The last request that GitHub carries out asynchronously; absent = none, or its id is not known. */
  readonly request?: { readonly pr: number; readonly id: string };
  /** The number of first steps that GitHub was, or is about to be, asked for; absent = none. */
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

/** Why an attempt ended before its last step. It concerns the step that follows those in `MergeOutcome.merged`. */
export type MergeStop =
  /** The base SHA is not the expected one. Nothing of this step was written. */
  | { readonly kind: "base_moved"; readonly actual: string }
  | { readonly kind: "head_changed" }
  /**
   * A last check showed that a pull request of the steps had changed since its test. Nothing of the step was written. `isBelieved`: it is
   * current although it is older than the last known change. `isRebase`: a listed bot has only rebased it.
   */
  | {
      readonly kind: "withdrawn";
      readonly pullRequest: PullRequestFacts;
      readonly isBelieved?: boolean;
      readonly isRebase?: boolean;
    }
  /** It conflicts with pull requests that merged in the meantime (`composed`). Nothing of this step was written. */
  | { readonly kind: "composition_conflict" }
  /**
   * GitHub refuses this merge permanently. The cause tells whether others are affected, too; absent = `OTHER`. `pr`: a later step is
   * refused; nothing of the steps before it was written, either.
   */
  | {
      readonly kind: "refused";
      readonly message: string;
      readonly cause?: RefusalCause;
      readonly pr?: number;
    }
  /** The step was merged, but not with the tree that was tested. */
  | { readonly kind: "tree_mismatch"; readonly mismatch: TreeMismatch };

export interface MergeOutcome {
  readonly merged: readonly MergedStep[];
  readonly stop: MergeStop | null;
}

/** A refusal that removed a pull request from the queue, although its cause may affect others, too. */
export interface QueueRefusal {
  readonly pr: number;
  readonly cause: RefusalCause;
  /** It refused to build a test commit; absent = it refused a merge. */
  readonly ofBuild?: true;
}

/**
 * Whether a refusal affects other pull requests, too. If its cause may be the pull request, it does as soon as a second one is refused for
 * the same cause. Texts are not compared: they may name commits.
 */
export function meetsOthers(last: QueueRefusal | undefined, pr: number | null, cause: RefusalCause): boolean {
  const scope = scopeOf(cause);
  return scope === "all" || (scope === "unclear" && last?.cause === cause && last.pr !== pr);
}

/** The pull request that had to leave because of this cause, and has not been submitted again. */
export function leftBefore(
  last: QueueRefusal | undefined,
  cause: RefusalCause,
  entries: { has(pr: number): boolean },
): { readonly left?: number } {
  return last?.cause === cause && !entries.has(last.pr) ? { left: last.pr } : {};
}

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
