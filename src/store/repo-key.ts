import type { RepositoryRef } from "../engine/model/queue.ts";

/** What identifies a repository: the code host compares hosts, owners and names without regard to case. */
export function repoKey(repo: RepositoryRef): string {
  return `${repo.host}/${repo.owner}/${repo.name}`.toLowerCase();
}

/** The columns that keep a repository as it was spelled, and the key to find it by. */
export function repoColumns(repo: RepositoryRef) {
  return { host: repo.host, owner: repo.owner, name: repo.name, repo_key: repoKey(repo) };
}
