import type { CodeHost, InstalledRepository } from "../ports/code-host/code-host.ts";
import type { Directory } from "../service/queue/directory.ts";

/**
 * Finds the branch that a pull request, or the stack that it belongs to, is to be merged into. The payload of a comment does
 * not name it. A repository with a single queue needs no call to GitHub: if the base is another branch, the queue says so.
 */
export function baseBranchReader(
  codeHost: Pick<CodeHost, "readPullRequest">,
  directory: Pick<Directory, "ofRepository"> | null,
): (repo: InstalledRepository, pr: number) => Promise<string | null> {
  return async (repo, pr) => {
    const queues = (await directory?.ofRepository(repo)) ?? [];
    const [only] = queues;
    if (only && queues.length === 1) return only.branch;
    const pull = await codeHost.readPullRequest(repo, pr);
    return pull?.stack?.baseBranch ?? pull?.baseBranch ?? null;
  };
}
