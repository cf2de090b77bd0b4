import type { TestCommitOutcome } from "../../engine/model/input.ts";
import type { MergeAttempt } from "../../engine/model/merge-attempt.ts";
import type { MergeMethod } from "../../engine/model/settings.ts";
import type { CommitMessage, TestCommit } from "../../engine/model/test-run.ts";

export interface HeadComparison {
  /** Commits that are on the head and not on the base. */
  readonly aheadBy: number;
  /** Commits that are on the base and not on the head. */
  readonly behindBy: number;
  /** The head's tree. */
  readonly treeSha: string;
  /** Equal for heads that bring the same patch, each against its own merge base; null when the code host does not show all of it. */
  readonly patch: string | null;
}

/**
 * A test commit to create: heads stacked on a base, each committed in the form in which it will be merged.
 */
export interface TestCommitPlan {
  readonly branch: string;
  readonly method: MergeMethod;
  /** The parent commit: the base's tip, or a commit that contains the base and everything ahead. */
  readonly parentSha: string;
  readonly steps: readonly TestCommitStep[];
  /** The scratch branch to use, without its prefix. Nothing else may use it at the same time. */
  readonly scratch: string;
  /** An earlier attempt may have pushed the branch already. */
  readonly mayExist: boolean;
}

/** One commit for every step, or the step that could not be stacked. */
export type TestCommitResult =
  | { readonly kind: "built"; readonly commits: readonly TestCommit[] }
  | Extract<TestCommitOutcome, { kind: "conflict" | "empty" | "not_rebaseable" | "refused" }>;

export interface TestCommitStep {
  readonly pr: number;
  readonly headSha: string;
  readonly headRef: string;
  readonly title: string;
  /** The tree of an earlier build on an equal tree. When set, the step needs only a commit, no merge. */
  readonly treeSha: string | null;
  /** The commit's message; absent means GitHub's default. */
  readonly message?: CommitMessage;
}

export interface MergePlan extends MergeAttempt {
  readonly branch: string;
  /** Titles of the pull requests in the steps, for commit messages. */
  readonly titles: ReadonlyMap<number, string>;
}

/** Asked for permission before each merging call. Until it agrees, the merge can be called off. */
export interface MergeGate {
  /**
   * Returns whether the first `steps` may be merged. After it returns true, they can no longer be called off.
   * The permission is stored before the promise resolves, so that after a crash the next process knows that
   * the call may have been made.
   */
  call(steps: number): Promise<boolean>;
  /** Stores the id of a merge that the code host carries out asynchronously. */
  requested(pr: number, id: string): Promise<void>;
  /**
   * Reports that only the first `steps` were merged, and that no merging call is in progress. The other steps
   * can be called off again.
   */
  notDone(steps: number): Promise<void>;
}

/** Where a head and a branch may conflict. */
export interface ConflictDetails {
  /** The files that both have changed since their merge base. GitHub lists at most 300 files of each side. */
  readonly paths: readonly string[];
  /** If there is one such file: the pull request that changed it last on the branch; null when there is none. */
  readonly since: number | null;
}
