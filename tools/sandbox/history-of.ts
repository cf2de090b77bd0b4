import type { PullRequest } from "./world/pulls/pull-request.ts";
import type { Repository } from "./world/repository.ts";

export interface History {
  /** The commits of a branch along the first parents, newest first. */
  readonly commits: readonly string[];
  /** The merged pull requests of the repository. */
  readonly merged: readonly number[];
  /** The commits among them that merge a pull request; of a rebase, the last one. Newest first. */
  readonly merges: readonly { readonly sha: string; readonly pr: number }[];
}

/** Reads the history of a branch without a request. */
export async function historyOf(repository: Repository, branch: string): Promise<History> {
  const commits: string[] = [];
  const merges: { sha: string; pr: number }[] = [];
  const pulls = [...repository.pulls.values()];
  for (let sha = repository.branch(branch) ?? ""; sha !== ""; ) {
    commits.push(sha);
    const commit = await repository.git.commit(sha);
    const [first = "", second] = commit?.parents ?? [];
    const [, squashed] = /\(#(\d+)\)$/.exec(commit?.message.split("\n")[0] ?? "") ?? [];
    const isMergeOf = ({ head, merged, mergeCommitSha }: PullRequest) =>
      head.sha === second || (merged !== null && mergeCommitSha === sha);
    const pr = squashed ?? pulls.find(isMergeOf)?.number;
    if (pr !== undefined) merges.push({ sha, pr: Number(pr) });
    sha = first;
  }
  const merged = pulls.filter((pull) => pull.merged !== null);
  return { commits, merged: merged.map(({ number }) => number), merges };
}
