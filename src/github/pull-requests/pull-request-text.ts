import type { Octokit } from "@octokit/rest";
import type { PullRequestText } from "../../ports/code-host/pull-request-text.ts";
import type { Repository } from "../test-commits/branches.ts";

/** GitHub lists at most 250 commits of a pull request. */
export async function readPullRequestText(
  octokit: Octokit,
  at: Repository,
  pull_number: number,
): Promise<PullRequestText> {
  const [pull, commits] = await Promise.all([
    octokit.rest.pulls.get({ ...at, pull_number }),
    octokit.paginate(octokit.rest.pulls.listCommits, { ...at, pull_number, per_page: 100 }),
  ]);
  return {
    body: pull.data.body ?? "",
    unlisted: Math.max(0, pull.data.commits - commits.length),
    commits: commits.map(({ commit, author }) => ({
      message: commit.message,
      authorName: commit.author?.name ?? "",
      authorEmail: commit.author?.email ?? "",
      authorLogin: author && "login" in author ? author.login : null,
    })),
  };
}
