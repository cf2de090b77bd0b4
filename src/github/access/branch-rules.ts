import type { Octokit } from "@octokit/rest";
import { messageOf, statusOf } from "../client/code-host-error.ts";
import type { RepositoryApi } from "../client/repository-api.ts";

export type BranchRule = Awaited<ReturnType<Octokit["rest"]["repos"]["getBranchRules"]>>["data"][number];

/**
 * The rules of every ruleset that is enforced on a branch, all pages of them; null when the repository's plan has no rulesets.
 * The branch need not exist.
 */
export async function readBranchRules(
  { octokit, at }: RepositoryApi,
  branch: string,
): Promise<BranchRule[] | null> {
  try {
    return await octokit.paginate(octokit.rest.repos.getBranchRules, { ...at, branch, per_page: 100 });
  } catch (error) {
    // "Upgrade to GitHub Pro or make this repository public to enable this feature."
    if (statusOf(error) === 403 && /\bupgrade to github\b/i.test(messageOf(error))) return null;
    throw error;
  }
}
