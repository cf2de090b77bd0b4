import type { Octokit } from "@octokit/rest";
import type { HeadComparison } from "../../ports/code-host/code-host.ts";
import type { Repository } from "./branches.ts";

/**
 * Compares a head with a commit of the base, and reads the head's tree. Requests one commit of the comparison only, because the
 * commits are not used.
 */
export async function compareHead(
  octokit: Octokit,
  at: Repository,
  base: string,
  head: string,
): Promise<HeadComparison> {
  const [comparison, commit] = await Promise.all([
    octokit.rest.repos.compareCommitsWithBasehead({ ...at, basehead: `${base}...${head}`, per_page: 1 }),
    octokit.rest.git.getCommit({ ...at, commit_sha: head }),
  ]);
  const { ahead_by: aheadBy, behind_by: behindBy } = comparison.data;
  return { aheadBy, behindBy, treeSha: commit.data.tree.sha };
}
