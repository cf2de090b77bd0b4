import type { RestEndpointMethodTypes } from "@octokit/rest";
import * as z from "zod";
import type { ConflictDetails, HeadComparison } from "../../ports/code-host/merging.ts";
import { askGraphql, type RepositoryApi } from "../client/repository-api.ts";

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

const shape = z.object({ repository: z.record(z.string(), z.object({ oid: z.string() }).nullable()) });

/**
 * Returns the paths that a merge of the head into the branch changes. Compares the ids of the objects at the paths, so none is
 * missed, regardless of how many files the head changes. A path that is the same as on the branch does not change, even if the head
 * left the branch long ago. https://docs.github.com/en/graphql/reference/objects#repository
 */
export async function changedBetween(
  { octokit, at }: RepositoryApi,
  branch: string,
  head: string,
  paths: readonly string[],
): Promise<string[]> {
  const basehead = `${branch}...${head}`;
  const { data } = await octokit.rest.repos.compareCommitsWithBasehead({ ...at, basehead, per_page: 1 });
  const commits = [head, data.base_commit.sha, data.merge_base_commit.sha];
  const expressions = paths.flatMap((path) => commits.map((commit) => `${commit}:${path}`));
  const names = expressions.map((_, index) => `o${index}`);
  const asked = names.map((name) => `${name}: object(expression: $${name}) { oid }`);
  const declared = names.map((name) => `$${name}: String!`);
  const query = `query ($owner: String!, $repo: String!, ${declared.join(", ")}) {
    repository(owner: $owner, name: $repo) { ${asked.join(" ")} }
  }`;
  const variables = Object.fromEntries(names.map((name, index) => [name, expressions[index]]));
  const { repository } = await askGraphql(octokit, query, { ...at, ...variables }, shape);
  return paths.filter((_, index) => {
    const [ours, base, mergeBase] = [0, 1, 2].map((offset) => repository[`o${3 * index + offset}`]?.oid);
    return ours !== base && ours !== mergeBase;
  });
}

/**
 * Finds where a head and a branch may conflict.
 * https://docs.github.com/en/rest/commits/commits#compare-two-commits
 */
export async function conflictDetails(
  api: RepositoryApi,
  branch: string,
  head: string,
): Promise<ConflictDetails> {
  const [ours, theirs] = await Promise.all([
    changedSinceMergeBase(api, `${branch}...${head}`),
    changedSinceMergeBase(api, `${head}...${branch}`),
  ]);
  const paths = [...ours].filter((path) => theirs.has(path)).sort();
  const [path] = paths;
  const isOnly = path !== undefined && paths.length === 1;
  return { paths, since: isOnly ? await lastMergedWith(api, branch, path) : null };
}

/** The files that the right side of a comparison has changed, with the old names of renamed ones. */
async function changedSinceMergeBase(
  { octokit, at }: RepositoryApi,
  basehead: string,
): Promise<ReadonlySet<string>> {
  // All files stand on the first page, however few commits it has.
  const { data } = await octokit.rest.repos.compareCommitsWithBasehead({ ...at, basehead, per_page: 1 });
  return new Set(
    (data.files ?? []).flatMap((file) => [file.filename, file.previous_filename ?? file.filename]),
  );
}

/** The merged pull request that changed a file last on a branch; null when the change came in otherwise. */
async function lastMergedWith(
  { octokit, at }: RepositoryApi,
  branch: string,
  path: string,
): Promise<number | null> {
  const { data } = await octokit.rest.repos.listCommits({ ...at, sha: branch, path, per_page: 1 });
  const commit = data[0];
  if (!commit) return null;
  const pulls = await octokit.rest.repos.listPullRequestsAssociatedWithCommit({
    ...at,
    commit_sha: commit.sha,
  });
  return pulls.data.find(({ merged_at, base }) => merged_at !== null && base.ref === branch)?.number ?? null;
}
