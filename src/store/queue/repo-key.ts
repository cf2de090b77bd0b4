import type { RepositoryRef } from "../../engine/model/queue.ts";

/** The key of a repository. The code host compares hosts, owners and names case-insensitively. */
export function repoKey(repo: RepositoryRef): string {
  return `${repo.host}/${repo.owner}/${repo.name}`.toLowerCase();
}

/** The columns that store a repository's spelling, and its lookup key. */
export function repoColumns(repo: RepositoryRef) {
  return { host: repo.host, owner: repo.owner, name: repo.name, repo_key: repoKey(repo) };
}
