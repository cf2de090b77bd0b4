import { type RawBuilder, sql } from "kysely";
import { nameKey } from "../../engine/model/names.ts";
import type { RepositoryRef } from "../../engine/model/queue.ts";

/** The key of a repository. The code host compares hosts, owners and names case-insensitively. */
export function repoKey(repo: RepositoryRef): string {
  return nameKey(`${repo.host}/${repo.owner}/${repo.name}`);
}

/**
 * The key of the repository of a queue, which may have been renamed since its name was read.
 *
 * @param repo used if the queue is not known
 */
export function presentRepoKey(repo: RepositoryRef, queueId: string | null | undefined): RawBuilder<string> {
  return queueId
    ? sql`coalesce((select repo_key from queues where id = ${queueId}), ${repoKey(repo)})`
    : sql`${repoKey(repo)}`;
}

/** The columns that store a repository's spelling, and its lookup key. */
export function repoColumns(repo: RepositoryRef) {
  return { host: repo.host, owner: repo.owner, name: repo.name, repo_key: repoKey(repo) };
}
