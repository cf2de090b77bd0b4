import type { RepositoryApi } from "../client/repository-api.ts";

/**
 * The maximum number of commits that GitHub rebases:
 * https://docs.github.com/en/repositories/creating-and-managing-repositories/repository-limits#rebase-limits
 */
export const maxRebasedCommits = 100;

export interface CommitAuthor {
  readonly name: string;
  readonly email: string;
  readonly date?: string;
}

/** A commit of a pull request's head. */
export interface HeadCommit {
  readonly sha: string;
  readonly treeSha: string;
  readonly parents: readonly string[];
  readonly message: string;
  /** null: GitHub names no author that a new commit may have. */
  readonly author: CommitAuthor | null;
}

/** The commits that a head has and another commit lacks. */
export interface CommitRange {
  readonly from: { readonly sha: string; readonly treeSha: string };
  readonly mergeBase: { readonly sha: string; readonly treeSha: string };
  /** The total number of commits. */
  readonly count: number;
  /** The oldest first; at most `maxRebasedCommits`. */
  readonly commits: readonly HeadCommit[];
}

export async function readCommitRange(
  { octokit, at }: RepositoryApi,
  from: string,
  head: string,
): Promise<CommitRange> {
  const basehead = `${from}...${head}`;
  const { data } = await octokit.rest.repos.compareCommitsWithBasehead({
    ...at,
    basehead,
    per_page: maxRebasedCommits,
  });
  const { base_commit: base, merge_base_commit: mergeBase } = data;
  return {
    from: { sha: base.sha, treeSha: base.commit.tree.sha },
    mergeBase: { sha: mergeBase.sha, treeSha: mergeBase.commit.tree.sha },
    count: data.ahead_by,
    commits: data.commits.map(({ sha, parents, commit }) => ({
      sha,
      treeSha: commit.tree.sha,
      parents: parents.map((parent) => parent.sha),
      message: commit.message,
      author: authorOf(commit.author),
    })),
  };
}

type AnsweredAuthor = { name?: string | undefined; email?: string | undefined; date?: string | undefined };

function authorOf(author: AnsweredAuthor | null): CommitAuthor | null {
  if (!author?.name || !author.email) return null;
  const { name, email, date } = author;
  return date === undefined ? { name, email } : { name, email, date };
}
