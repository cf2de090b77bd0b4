import { changedPaths } from "../git/tree-files.ts";
import type { Repository } from "../world/repository.ts";

/**
 * Returns the files that GitHub uses for the path filters of a push: the files that differ between the branch before and after
 * it. For a new branch these are the changes since the parent of the deepest commit that no other branch has. There are none when
 * every commit is already on another branch.
 * https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-syntax#git-diff-comparisons
 */
export async function pushedPaths(
  repository: Repository,
  branch: string,
  before: string | null,
  after: string,
): Promise<string[]> {
  if (before !== null) return pathsBetween(repository, before, after);
  const others = repository.git.refs
    .list("refs/heads/")
    .filter(([ref]) => ref !== `refs/heads/${branch}`)
    .map(([, sha]) => sha);
  const { graph } = repository.git;
  const isKnown = async (sha: string) => {
    for (const tip of others) if (await graph.contains(tip, sha)) return true;
    return false;
  };
  let deepest: string | null = null;
  // Children come before their parents.
  for (const { sha } of await graph.range(null, after)) if (!(await isKnown(sha))) deepest = sha;
  if (deepest === null) return [];
  const [parent = null] = (await repository.git.commit(deepest))?.parents ?? [];
  return pathsBetween(repository, parent, after);
}

/** Returns the files that differ between two commits, or all files of a commit when there is no earlier one. */
export async function pathsBetween(
  repository: Repository,
  before: string | null,
  after: string,
): Promise<string[]> {
  const { git } = repository;
  const from = before === null ? null : await git.commit(before);
  const to = await git.commit(after);
  if (to === null) throw new Error(`no commit ${after}`);
  const { added, removed, modified } = await changedPaths(git, from?.tree ?? null, to.tree);
  return [...added, ...removed, ...modified];
}
