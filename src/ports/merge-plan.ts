import type { MergeAttempt } from "../engine/merge-attempt.ts";

export interface MergePlan extends MergeAttempt {
  readonly branch: string;
  /** Titles of the pull requests in the steps, for commit messages. */
  readonly titles: ReadonlyMap<number, string>;
}

/** What whoever carries out a merge has to pass before each call that merges: until then the merge can be called off. */
export interface MergeGate {
  /**
   * Asks for leave to merge the first `steps`, which no one can take back once it is given; false: they were called off. Durable when
   * it resolves, so that whoever goes on after a crash knows that the call may have been made.
   */
  call(steps: number): Promise<boolean>;
  /** All but the first `steps` were not merged, and no call that could is under way: they can be called off again. */
  notDone(steps: number): Promise<void>;
}
