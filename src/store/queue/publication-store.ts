import type { RepositoryRef } from "../../engine/model/queue.ts";
import type { PublicationTable } from "../sqlite/schema.ts";
import { SqlStore } from "../sqlite/sql-store.ts";
import { presentRepoKey, repoKey } from "./repo-key.ts";

/** What the queue has posted on a pull request, so that it can edit it in place. */
export interface Publication {
  /** The comment's global id. */
  readonly commentId: string | null;
  /** A digest of the comment's last posted text. */
  readonly commentDigest: string | null;
  /** The lost place that the comment was written for, see `CommentContent.mark`; null = it is the first comment. */
  readonly commentMark: string | null;
  /** The check run's global id. */
  readonly checkRunId: string | null;
  /** The head SHA of the check run. */
  readonly checkSha: string | null;
  readonly checkDigest: string | null;
  /** The answer to the last command, shown in the comment. */
  readonly notice: string | null;
}

/** The publication of a pull request on which nothing was posted. */
export const noPublication: Publication = {
  commentId: null,
  commentDigest: null,
  commentMark: null,
  checkRunId: null,
  checkSha: null,
  checkDigest: null,
  notice: null,
};

const columns = {
  commentId: "comment_node",
  commentDigest: "comment_digest",
  commentMark: "comment_mark",
  checkRunId: "check_run_node",
  checkSha: "check_sha",
  checkDigest: "check_digest",
  notice: "notice",
} as const satisfies Record<keyof Publication, keyof PublicationTable>;

export class PublicationStore extends SqlStore {
  /** `noPublication` when nothing was posted. */
  async get(repo: RepositoryRef, pr: number): Promise<Publication> {
    const row = await this.db
      .selectFrom("publications")
      .select([
        "comment_node as commentId",
        "comment_digest as commentDigest",
        "comment_mark as commentMark",
        "check_run_node as checkRunId",
        "check_sha as checkSha",
        "check_digest as checkDigest",
        "notice",
      ])
      .where("repo_key", "=", repoKey(repo))
      .where("pr", "=", pr)
      .executeTakeFirst();
    return row ?? noPublication;
  }

  /** The pull requests whose last posted check is on a commit. */
  async checkedAt(repo: RepositoryRef, sha: string): Promise<readonly number[]> {
    const rows = await this.db
      .selectFrom("publications")
      .select("pr")
      .where("repo_key", "=", repoKey(repo))
      .where("check_sha", "=", sha)
      .orderBy("pr")
      .execute();
    return rows.map(({ pr }) => pr);
  }

  /**
   * Absent fields keep their values.
   *
   * @param at in milliseconds since the epoch
   *
   * @param queueId the queue of the pull request. Its repository may have been renamed since `repo` was read
   */
  async put(
    repo: RepositoryRef,
    pr: number,
    changes: Partial<Publication>,
    at: number,
    queueId?: string,
  ): Promise<void> {
    if (Object.keys(changes).length === 0) return;
    const changed = { ...changedColumns(changes), written_at: at };
    await this.writes.run((tx) =>
      tx
        .insertInto("publications")
        .values({ repo_key: presentRepoKey(repo, queueId), pr, ...changed })
        .onConflict((known) => known.columns(["repo_key", "pr"]).doUpdateSet(changed))
        .execute(),
    );
  }
}

function changedColumns(changes: Partial<Publication>): Partial<PublicationTable> {
  return Object.fromEntries(
    Object.entries(changes).map(([field, value]) => [columns[field as keyof Publication], value]),
  );
}
