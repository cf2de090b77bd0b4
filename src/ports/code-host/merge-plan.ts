import type { MergeAttempt } from "../../engine/model/merge-attempt.ts";

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
