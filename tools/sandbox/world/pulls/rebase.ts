import type { Signature } from "../../git/git-object.ts";
import type { GitRepository } from "../../git/git-repository.ts";
import { mergeTrees, replay } from "../../git/merge-trees.ts";

/** https://docs.github.com/en/repositories/creating-and-managing-repositories/repository-limits#rebase-limits */
const MAX_COMMITS = 100;

/**
 * Writes the commits of a rebase and returns the new tip. Returns null where GitHub refuses it: a commit conflicts, there are too
 * many commits, none of them remains, or the result differs from that of a merge.
 * https://docs.github.com/en/pull-requests/collaborating-with-pull-requests/incorporating-changes-from-a-pull-request/about-pull-request-merges#rebase-and-merge-your-commits
 */
export async function rebase(
  git: GitRepository,
  base: string,
  head: string,
  committer: Signature,
): Promise<string | null> {
  const commits = (await git.graph.range(base, head)).reverse();
  const onto = await git.commit(base);
  if (onto === null || commits.length > MAX_COMMITS) return null;
  const tip = await replay(git, onto, commits, committer);
  if (tip === null || tip.sha === base) return null;
  return tip.tree === (await mergeTrees(git, base, head)) ? tip.sha : null;
}

/** Whether GitHub would rebase a head that merges without conflicts. */
export async function isRebaseable(git: GitRepository, base: string, head: string): Promise<boolean> {
  const commits = await git.graph.range(base, head);
  // For a single commit, a rebase gives the same result as a merge.
  if (commits.length === 1 && commits[0]?.parents.length === 1) return true;
  const [last] = commits;
  return last !== undefined && (await rebase(git, base, head, last.committer)) !== null;
}
