import type { Octokit } from "@octokit/rest";
import { messageOf, statusOf } from "./code-host-error.ts";

export interface Repository {
  readonly owner: string;
  readonly repo: string;
}

/** The commit at the tip of a branch, with what a merge must be compared with. */
export interface Tip {
  readonly sha: string;
  readonly treeSha: string;
  readonly parents: readonly string[];
}

export async function readTip(octokit: Octokit, at: Repository, branch: string): Promise<Tip | null> {
  try {
    const { data } = await octokit.rest.repos.getBranch({ ...at, branch });
    const { sha, commit, parents } = data.commit;
    return { sha, treeSha: commit.tree.sha, parents: parents.map((parent) => parent.sha) };
  } catch (error) {
    if (statusOf(error) === 404) return null;
    throw error;
  }
}

export async function readRef(octokit: Octokit, at: Repository, branch: string): Promise<string | null> {
  try {
    const { data } = await octokit.rest.git.getRef({ ...at, ref: `heads/${branch}` });
    return data.object.sha;
  } catch (error) {
    if (statusOf(error) === 404) return null;
    throw error;
  }
}

/** Makes a branch point at a commit, wherever it was. Only for branches of our own. */
export async function forceBranch(
  octokit: Octokit,
  at: Repository,
  branch: string,
  sha: string,
  exists: boolean,
): Promise<void> {
  const update = () => octokit.rest.git.updateRef({ ...at, ref: `heads/${branch}`, sha, force: true });
  const create = () => octokit.rest.git.createRef({ ...at, ref: `refs/heads/${branch}`, sha });
  try {
    await (exists ? update() : create());
  } catch (error) {
    if (statusOf(error) !== 422) throw error;
    if (exists && /does not exist/i.test(messageOf(error))) await create();
    else if (!exists && /already exists/i.test(messageOf(error))) await update();
    else throw error;
  }
}

export async function removeBranch(octokit: Octokit, at: Repository, branch: string): Promise<void> {
  try {
    await octokit.rest.git.deleteRef({ ...at, ref: `heads/${branch}` });
  } catch (error) {
    // GitHub answers 422 "Reference does not exist" for a branch that is gone.
    if (statusOf(error) !== 404 && !(statusOf(error) === 422 && /does not exist/i.test(messageOf(error))))
      throw error;
  }
}

export async function listBranches(octokit: Octokit, at: Repository, prefix: string): Promise<string[]> {
  const refs = await octokit.paginate(octokit.rest.git.listMatchingRefs, { ...at, ref: `heads/${prefix}` });
  return refs.map(({ ref }) => ref.replace(/^refs\/heads\//, ""));
}
