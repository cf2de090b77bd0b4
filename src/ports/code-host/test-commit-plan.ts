import type { TestCommitOutcome } from "../../engine/model/input.ts";
import type { MergeMethod } from "../../engine/model/settings.ts";
import type { CommitMessage, TestCommit } from "../../engine/model/test-run.ts";

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
