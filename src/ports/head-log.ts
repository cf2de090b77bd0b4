import type { RepositoryRef } from "../engine/model/queue.ts";

export interface SeenHead {
  readonly sha: string;
  /** No later than this did the pull request get this head, in milliseconds since the epoch by the code host's clock. */
  readonly at: number;
}

/** When pull requests were pushed to: a command pins only a head that was there when it was given. */
export interface HeadLog {
  /** The newer time wins, also for a head that is the last one already. */
  record(repo: RepositoryRef, pr: number, head: SeenHead): Promise<void>;
  last(repo: RepositoryRef, pr: number): Promise<SeenHead | null>;
}
