import type { RestEndpointMethodTypes } from "@octokit/rest";
import type { HeadComparison } from "../../ports/code-host/merging.ts";
import type { RepositoryApi } from "../client/repository-api.ts";

/**
 * Compares a head with a commit of the base, and reads the head's tree. Requests one commit of the comparison only, because the
 * commits are not used.
 */
export async function compareHead(
  { octokit, at }: RepositoryApi,
  base: string,
  head: string,
): Promise<HeadComparison> {
  const [comparison, commit] = await Promise.all([
    octokit.rest.repos.compareCommitsWithBasehead({ ...at, basehead: `${base}...${head}`, per_page: 1 }),
    octokit.rest.git.getCommit({ ...at, commit_sha: head }),
  ]);
  const { ahead_by: aheadBy, behind_by: behindBy } = comparison.data;
  return { aheadBy, behindBy, treeSha: commit.data.tree.sha, patch: patchOf(comparison.data.files ?? []) };
}

/** GitHub lists no more files. All stand on the first page, however few commits it has. */
const maxFiles = 300;

type ComparedFile = NonNullable<
  RestEndpointMethodTypes["repos"]["compareCommitsWithBasehead"]["response"]["data"]["files"]
>[number];

/**
 * Returns the hunks of all files, context included, without their places. A patch that GitHub shows in part, or not at all, is only equal
 * to one that leads to the same file. Modes are not compared, because GitHub does not show them.
 */
function patchOf(files: readonly ComparedFile[]): string | null {
  if (files.length === 0 || files.length >= maxFiles) return null;
  const changes = files.map(({ filename, previous_filename, status, patch, sha, additions, deletions }) => {
    const lines = patch?.split("\n") ?? [];
    const count = (sign: string) => lines.filter((line) => line.startsWith(sign)).length;
    const isWhole = patch !== undefined && count("+") === additions && count("-") === deletions;
    const change = isWhole ? lines.map((line) => (line.startsWith("@@ ") ? "@@" : line)).join("\n") : sha;
    return JSON.stringify([filename, previous_filename ?? null, status, isWhole, change]);
  });
  return changes.sort().join("\n");
}
