import * as z from "zod";
import { ghost } from "../../engine/model/names.ts";
import type { CommitMessage } from "../../engine/model/test-run.ts";
import type { PullRequestText } from "../../ports/code-host/pull-requests.ts";
import { askGraphql, type RepositoryApi } from "../client/repository-api.ts";

/** GitHub lists at most 250 commits of a pull request. */
export async function readPullRequestText(
  { octokit, at }: RepositoryApi,
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

/** Read by GraphQL: with REST, each reading would use the call budget, because the answer about a repository changes with each push. */
const messageSettings = {
  fields: "mergeCommitTitle mergeCommitMessage",
  shape: z.object({ mergeCommitTitle: z.string(), mergeCommitMessage: z.string() }),
};

/**
 * GitHub's default title and message of a merge commit, as the repository's settings choose them. The head's owner, which is named in it,
 * is a different one for a fork. https://docs.github.com/en/graphql/reference/objects#repository
 */
export async function readMergeMessage(api: RepositoryApi, pull_number: number): Promise<CommitMessage> {
  const [{ mergeCommitTitle: title, mergeCommitMessage: message }, { data: pull }] = await Promise.all([
    askGraphql(api, messageSettings),
    api.octokit.rest.pulls.get({ ...api.at, pull_number }),
  ]);
  // A head whose account is deleted has no user, and mostly no label. The published types are wrong here.
  const label = pull.head.label as string | null;
  const owner = pull.head.user?.login ?? label?.split(":")[0] ?? ghost;
  return {
    title:
      title === "PR_TITLE"
        ? `${pull.title} (#${pull.number})`
        : `Merge pull request #${pull.number} from ${owner}/${pull.head.ref}`,
    body: message === "PR_BODY" ? (pull.body ?? "") : message === "BLANK" ? "" : pull.title,
  };
}
