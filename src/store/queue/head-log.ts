import type { RepositoryRef } from "../../engine/model/queue.ts";
import { Prepared } from "../queries/prepared.ts";
import { SharedQuery } from "../queries/shared-query.ts";
import type { Database } from "../sqlite/schema.ts";
import { SqlStore } from "../sqlite/sql-store.ts";
import { repoKey } from "./repo-key.ts";

export interface SeenHead {
  readonly sha: string;
  /**
   * The pull request got this head at or before this time, in milliseconds since the epoch by the code host's
   * clock.
   */
  readonly at: number;
}

const heads = (db: Database, repoKey: string) =>
  db.selectFrom("heads").select(["pr", "sha", "at"]).where("repo_key", "=", repoKey);

const byPullRequest = new SharedQuery(
  new Prepared((db, at: { repoKey: string; pr: number }) => heads(db, at.repoKey).where("pr", "=", at.pr)),
  {
    groupOf: (at) => at.repoKey,
    read: (db, { repoKey }, all) =>
      heads(db, repoKey)
        .where(
          "pr",
          "in",
          all.map(({ pr }) => pr),
        )
        .execute(),
    isFor: (row, { pr }) => row.pr === pr,
  },
);

/**
 * The times of pushes to pull requests. A command pins only a head that already existed when the command was
 * given.
 */
export class HeadLog extends SqlStore {
  /**
   * Of two heads with the same time, the one recorded later wins. A repeated head gets the newer time, because another head may have been
   * pushed in between. A time that is too late is safe: fewer commands pin the head.
   */
  async record(repo: RepositoryRef, pr: number, head: SeenHead): Promise<void> {
    const { sha, at } = head;
    await this.writes.run((tx) =>
      tx
        .insertInto("heads")
        .values({ repo_key: repoKey(repo), pr, sha, at })
        .onConflict((known) =>
          known.columns(["repo_key", "pr"]).doUpdateSet({ sha, at }).where("heads.at", "<=", at),
        )
        .execute(),
    );
  }

  async last(repo: RepositoryRef, pr: number): Promise<SeenHead | null> {
    const found = await byPullRequest.first(this.db, { repoKey: repoKey(repo), pr });
    return found ? { sha: found.sha, at: found.at } : null;
  }
}
