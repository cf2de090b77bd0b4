import type { RestEndpointMethodTypes } from "@octokit/rest";
import * as z from "zod";
import type { ConflictDetails, HeadComparison } from "../../ports/code-host/merging.ts";
import { askObjects, type RepositoryApi } from "../client/repository-api.ts";
import { readTree } from "./branches.ts";
import { readCommitRange } from "./replay-commits.ts";

export async function compareHead(api: RepositoryApi, base: string, head: string): Promise<HeadComparison> {
  const [comparison, treeSha] = await Promise.all([compare(api, base, head), readTree(api, head)]);
  const { ahead_by: aheadBy, behind_by: behindBy, files = [] } = comparison;
  return { aheadBy, behindBy, treeSha, patch: patchOf(files) };
}

export async function firstCommits(
  api: RepositoryApi,
  branch: string,
  head: string,
): Promise<readonly string[]> {
  const { commits } = await readCommitRange(api, branch, head);
  const own = new Set(commits.map(({ sha }) => sha));
  return commits.filter(({ parents }) => !parents.some((parent) => own.has(parent))).map(({ sha }) => sha);
}

/** Requests only one commit, because the commits are not used. All files are on the first page nevertheless. */
async function compare({ octokit, at }: RepositoryApi, base: string, head: string) {
  const basehead = `${base}...${head}`;
  return (await octokit.rest.repos.compareCommitsWithBasehead({ ...at, basehead, per_page: 1 })).data;
}

/** The maximum number of files that GitHub lists. */
const maxFiles = 300;

type ComparedFile = NonNullable<
  RestEndpointMethodTypes["repos"]["compareCommitsWithBasehead"]["response"]["data"]["files"]
>[number];

/**
 * Returns the hunks of all files, context included, without their places. A patch that GitHub shows incompletely equals only a patch with
 * the same resulting file. Modes are not compared, because GitHub does not show them.
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

/**
 * Returns the paths that a merge of the head into the branch changes. Compares the ids of the objects at the paths, so none is
 * missed, regardless of how many files the head changes. A path that is the same as on the branch does not change, even if the head
 * left the branch long ago. https://docs.github.com/en/graphql/reference/objects#repository
 */
export async function changedBetween(
  api: RepositoryApi,
  branch: string,
  head: string,
  paths: readonly string[],
): Promise<string[]> {
  const { base_commit, merge_base_commit } = await compare(api, branch, head);
  const commits = [head, base_commit.sha, merge_base_commit.sha];
  const expressions = paths.flatMap((path) => commits.map((commit) => `${commit}:${path}`));
  const found = await askObjects(api, expressions, "oid", z.object({ oid: z.string() }));
  return paths.filter((_, index) => {
    const [ours, base, mergeBase] = [0, 1, 2].map((offset) => found[3 * index + offset]?.oid);
    return ours !== base && ours !== mergeBase;
  });
}

/** https://docs.github.com/en/rest/commits/commits#compare-two-commits */
export async function conflictDetails(
  api: RepositoryApi,
  branch: string,
  head: string,
): Promise<ConflictDetails> {
  const [ours, theirs] = await Promise.all([
    changedSinceMergeBase(api, branch, head),
    changedSinceMergeBase(api, head, branch),
  ]);
  const paths = [...ours].filter((path) => theirs.has(path)).sort();
  const [path] = paths;
  const isOnly = path !== undefined && paths.length === 1;
  return { paths, since: isOnly ? await lastMergedWith(api, branch, path) : null };
}

/** The files that a head has changed, with the old names of renamed ones. */
async function changedSinceMergeBase(
  api: RepositoryApi,
  base: string,
  head: string,
): Promise<ReadonlySet<string>> {
  const { files = [] } = await compare(api, base, head);
  return new Set(files.flatMap((file) => [file.filename, file.previous_filename ?? file.filename]));
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
