import type { CodeHost, InstalledRepository } from "../ports/code-host.ts";
import type { Directory } from "../service/directory.ts";

/**
 * Finds the branch that a pull request is to be merged into, which the payload of a comment does not say. A repository with a
 * single queue needs no asking: if the base is another, the queue says so.
 */
export function baseBranchReader(
  codeHost: Pick<CodeHost, "readPullRequest">,
  directory: Pick<Directory, "ofRepository"> | null,
): (repo: InstalledRepository, pr: number) => Promise<string | null> {
  return async (repo, pr) => {
    const queues = (await directory?.ofRepository(repo)) ?? [];
    const [only] = queues;
    if (only && queues.length === 1) return only.branch;
    return (await codeHost.readPullRequest(repo, pr))?.baseBranch ?? null;
  };
}
