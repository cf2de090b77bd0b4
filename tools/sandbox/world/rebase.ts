import type { Signature } from "../git/git-object.ts";
import type { GitRepository } from "../git/git-repository.ts";
import { mergeTrees, replay } from "../git/merge-trees.ts";

/** https://docs.github.com/en/repositories/creating-and-managing-repositories/repository-limits#rebase-limits */
const MAX_COMMITS = 100;

/**
 * Writes the commits of a rebase and returns the new tip. Null where GitHub refuses: a commit conflicts, there are too many,
 * nothing is left of them, or the result differs from that of a merge.
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

/** Whether GitHub would rebase a head that merges cleanly. */
export async function isRebaseable(git: GitRepository, base: string, head: string): Promise<boolean> {
  const commits = await git.graph.range(base, head);
  // The merge of one commit is its rebase.
  if (commits.length === 1 && commits[0]?.parents.length === 1) return true;
  const [last] = commits;
  return last !== undefined && (await rebase(git, base, head, last.committer)) !== null;
}
