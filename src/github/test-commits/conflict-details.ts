import type { ConflictDetails } from "../../ports/code-host/merging.ts";
import type { RepositoryApi } from "../client/repository-api.ts";

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
