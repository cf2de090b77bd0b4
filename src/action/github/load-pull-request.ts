import { type GitHubApi, GitHubRefusal } from "./github-api.ts";

/** Facts about a pull request that its event may lack. */
export interface PullRequestFacts {
  readonly headSha: string | null;
  readonly baseBranch: string | null;
  readonly isFromFork: boolean;
}

interface Pull {
  readonly head: { readonly sha: string; readonly repo: { readonly full_name: string } | null };
  readonly base: { readonly ref: string; readonly repo: { readonly full_name: string } };
}

/** Null when GitHub does not show the pull request to this token. */
export async function loadPullRequest(
  github: GitHubApi,
  { owner, name }: { owner: string; name: string },
  pr: number,
): Promise<PullRequestFacts | null> {
  try {
    const path = `/repos/${owner}/${name}/pulls/${pr}`;
    const { head, base } = (await github.retried(() => github.request("GET", path))) as Pull;
    const isFromFork = head.repo?.full_name !== base.repo.full_name;
    return { headSha: head.sha, baseBranch: base.ref, isFromFork };
  } catch (error) {
    if (error instanceof GitHubRefusal && [401, 403, 404].includes(error.status)) return null;
    throw error;
  }
}
