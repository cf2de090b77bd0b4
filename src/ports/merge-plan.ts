import type { MergeAttempt } from "../engine/model/merge-attempt.ts";

export interface MergePlan extends MergeAttempt {
  readonly branch: string;
  /** Titles of the pull requests in the steps, for commit messages. */
  readonly titles: ReadonlyMap<number, string>;
}

/** Asked before each call that merges. Until it agrees, the merge can be called off. */
export interface MergeGate {
  /**
   * Whether the first `steps` may be merged; once true, they can no longer be called off. Stored before it resolves, so that the next
   * process knows after a crash that the call may have been made.
   */
  call(steps: number): Promise<boolean>;
  /** Writes down by which id the code host knows the merge of a pull request that it carries out in its own time. */
  requested(pr: number, id: string): Promise<void>;
  /** All but the first `steps` were not merged, and no call that could is under way: they can be called off again. */
  notDone(steps: number): Promise<void>;
}
