import type { RepositoryRef } from "../engine/model/queue.ts";

export interface SeenHead {
  readonly sha: string;
  /**
   * The pull request got this head at or before this time, in milliseconds since the epoch by the code host's
   * clock.
   */
  readonly at: number;
}

/**
 * The times of pushes to pull requests. A command pins only a head that already existed when the command was
 * given.
 */
export interface HeadLog {
  /** The later time wins, also when the head is already the last one. */
  record(repo: RepositoryRef, pr: number, head: SeenHead): Promise<void>;
  last(repo: RepositoryRef, pr: number): Promise<SeenHead | null>;
}
