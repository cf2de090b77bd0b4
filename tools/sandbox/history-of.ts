import type { Repository } from "./world/repository.ts";

export interface History {
  /** The commits of a branch along the first parents, newest first. */
  readonly commits: readonly string[];
  /** The merged pull requests of the repository. */
  readonly merged: readonly number[];
}

/** Reads the history of a branch without a request. */
export async function historyOf(repository: Repository, branch: string): Promise<History> {
  const commits: string[] = [];
  for (let sha = repository.branch(branch) ?? ""; sha !== ""; ) {
    commits.push(sha);
    sha = (await repository.git.commit(sha))?.parents[0] ?? "";
  }
  const merged = [...repository.pulls.values()].filter((pull) => pull.merged !== null);
  return { commits, merged: merged.map(({ number }) => number) };
}
