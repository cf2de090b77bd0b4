import type { Octokit } from "@octokit/rest";
import type { HistoryCommit, LocalRepository } from "./local-repository.ts";

/** Every tip that the base branch has had, oldest first, and the commit that each merged pull request produced. */
export interface BaseHistory {
  readonly commits: readonly HistoryCommit[];
  /** Returns the tree of the base after a pull request was merged; null when no commit of the base is its merge. */
  treeAfter(pr: number): string | null;
}

/** Reads the base branch with plain git. Asks the code host only which commit belongs to which pull request. */
export async function readBaseHistory(
  local: LocalRepository,
  octokit: Octokit,
  repository: { owner: string; name: string },
  branch: string,
): Promise<BaseHistory> {
  const all = await local.history(branch);
  const pulls = await octokit.paginate(octokit.rest.pulls.list, {
    owner: repository.owner,
    repo: repository.name,
    state: "closed",
    per_page: 100,
  });
  const merges = new Set(pulls.map(({ merge_commit_sha }) => merge_commit_sha));
  // A rebase moves the branch over all commits of a pull request at once. Only the last one was its tip.
  const isRebased = ({ committer, parents }: HistoryCommit) =>
    committer.endsWith("[bot]") && parents.length === 1;
  const commits = all.filter((commit) => !isRebased(commit) || merges.has(commit.sha));
  return {
    commits,
    treeAfter(pr) {
      const pull = pulls.find(({ number }) => number === pr);
      if (!pull?.merged_at) return null;
      // A merge commit has the pull request's head as its second parent. For a squash, the code host names the commit.
      const own = commits.find(
        ({ sha, parents }) => parents[1] === pull.head.sha || sha === pull.merge_commit_sha,
      );
      return own?.treeSha ?? null;
    },
  };
}
