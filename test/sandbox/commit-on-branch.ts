import type { Octokit } from "@octokit/rest";
import { target } from "./scene.ts";

export async function tipOf(octokit: Octokit, branch: string): Promise<string> {
  const { data } = await octokit.rest.git.getRef({ ...target, ref: `heads/${branch}` });
  return data.object.sha;
}

/** Commits files on top of a branch or commit, without moving any ref. Null content removes a file. */
export async function commitOn(
  octokit: Octokit,
  parent: string,
  files: Record<string, string | null>,
  message = "Change files",
): Promise<string> {
  const { data: commit } = await octokit.rest.git.getCommit({ ...target, commit_sha: parent });
  const entries = Object.entries(files).map(([path, content]) => ({
    path,
    mode: "100644" as const,
    type: "blob" as const,
    ...(content === null ? { sha: null } : { content }),
  }));
  const { data: tree } = await octokit.rest.git.createTree({
    ...target,
    base_tree: commit.tree.sha,
    tree: entries,
  });
  const { data } = await octokit.rest.git.createCommit({
    ...target,
    message,
    tree: tree.sha,
    parents: [parent],
  });
  return data.sha;
}

/** Creates a branch with one commit on top of another branch. Returns the commit. */
export async function branchWith(
  octokit: Octokit,
  branch: string,
  files: Record<string, string | null>,
  { from = "main", message }: { from?: string; message?: string } = {},
): Promise<string> {
  const sha = await commitOn(octokit, await tipOf(octokit, from), files, message ?? `Add ${branch}`);
  await octokit.rest.git.createRef({ ...target, ref: `refs/heads/${branch}`, sha });
  return sha;
}

/** Opens a pull request from a new branch with one commit. Returns its number and its head. */
export async function openPull(
  octokit: Octokit,
  branch: string,
  files: Record<string, string | null>,
  options: { base?: string; title?: string; draft?: boolean; message?: string } = {},
): Promise<{ number: number; sha: string }> {
  const { base = "main", title = `Add ${branch}`, draft = false, message } = options;
  const sha = await branchWith(octokit, branch, files, { from: base, ...(message ? { message } : {}) });
  const { data } = await octokit.rest.pulls.create({
    ...target,
    title,
    head: branch,
    base,
    draft,
    body: "Please.",
  });
  return { number: data.number, sha };
}

/** Reports commit statuses as passed. */
export async function passStatus(octokit: Octokit, sha: string, ...contexts: string[]): Promise<void> {
  for (const context of contexts) {
    await octokit.rest.repos.createCommitStatus({ ...target, sha, context, state: "success" });
  }
}
