import type { RepositoryRef } from "../engine/model/queue.ts";

/** What the queue has posted on a pull request, so that it can edit it in place. */
export interface Publication {
  /** Its global id. */
  readonly commentId: string | null;
  /** A digest of the comment's last posted text. */
  readonly commentDigest: string | null;
  /** The lost place that the comment was written for, see `CommentContent.mark`; null = it is the first comment. */
  readonly commentMark: string | null;
  /** Its global id. */
  readonly checkRunId: string | null;
  /** The head SHA of the check run. */
  readonly checkSha: string | null;
  readonly checkDigest: string | null;
  /** The answer to the last command, shown in the comment. */
  readonly notice: string | null;
}

export interface PublicationStore {
  /** `noPublication` when nothing was posted. */
  get(repo: RepositoryRef, pr: number): Promise<Publication>;
  /** The pull requests whose last posted check is on a commit. */
  checkedAt(repo: RepositoryRef, sha: string): Promise<readonly number[]>;
  /**
   * Absent fields keep their values.
   *
   * @param at when, in milliseconds since the epoch
   * @param queueId the queue of the pull request. Its repository may have been renamed since `repo` was read
   */
  put(
    repo: RepositoryRef,
    pr: number,
    changes: Partial<Publication>,
    at: number,
    queueId?: string,
  ): Promise<void>;
}
