import type { TestCommitOutcome } from "../engine/model/input.ts";
import type { MergeMethod } from "../engine/model/settings.ts";
import type { CommitMessage, TestCommit } from "../engine/model/test-run.ts";

/** A test commit to make: heads stacked on a base, each shaped as it will be merged. */
export interface TestCommitPlan {
  readonly branch: string;
  readonly method: MergeMethod;
  /** The commit to stand on: the base's tip, or a commit that holds the base plus everything ahead. */
  readonly parentSha: string;
  readonly steps: readonly TestCommitStep[];
  readonly targetBranch: string;
  /** An earlier try may have pushed the branch already. */
  readonly mayExist: boolean;
}

/** A commit for every step, or the step that could not be stacked. */
export type TestCommitResult =
  | { readonly kind: "built"; readonly commits: readonly TestCommit[] }
  | Extract<TestCommitOutcome, { kind: "conflict" | "empty" | "not_rebaseable" | "refused" }>;

export interface TestCommitStep {
  readonly pr: number;
  readonly headSha: string;
  readonly headRef: string;
  readonly title: string;
  /** Known from an earlier build on an equal tree: needs no merging, only a commit. */
  readonly treeSha: string | null;
  /** What its commit says; absent = GitHub's default. */
  readonly message?: CommitMessage;
}
