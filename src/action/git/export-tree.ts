import { mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import { join } from "node:path";
import { type GitEnvironment, gitLine, runGit, scanTree } from "./git.ts";

/** The files of a commit, exported to a directory of their own. */
export interface ExportedTree extends AsyncDisposable {
  /** The directory that holds the exported repository, as a path without symbolic links. */
  readonly root: string;
  /** The directory in it that corresponds to git's working directory. */
  readonly cwd: string;
}

/**
 * Writes a commit's files to another directory, including those of submodules that are checked out. Unlike a worktree, this leaves
 * nothing in the repository even if the runner dies, runs no checkout hook, and supports submodules.
 */
export async function exportTree(
  git: GitEnvironment,
  sha: string,
  temporary: string,
  name: string,
): Promise<ExportedTree> {
  const directory = await realpath(await mkdtemp(join(temporary, "trainyard-tree-")));
  const root = join(directory, name);
  const prefix = (await gitLine(git, "rev-parse", "--show-prefix")) ?? "";
  const remove = () => rm(directory, { recursive: true, force: true });
  try {
    await exportTo(await atTop(git), sha, root, join(directory, "index"));
    // The commit may be older than this directory. Without the directory, starting a tool there would fail as if the tool were not
    // installed.
    await mkdir(join(root, prefix), { recursive: true });
  } catch (error) {
    await remove();
    throw error;
  }
  return { root, cwd: join(root, prefix), [Symbol.asyncDispose]: remove };
}

async function exportTo(git: GitEnvironment, sha: string, directory: string, index: string): Promise<void> {
  const env = { ...git.env, GIT_INDEX_FILE: index, GIT_LFS_SKIP_SMUDGE: "1" };
  await runGit({ ...git, env }, "read-tree", sha);
  await runGit({ ...git, env }, "checkout-index", "--all", "--quiet", `--prefix=${directory}/`);
  await rm(index, { force: true });
  const { submodules } = await scanTree(git, sha, () => false);
  for (const submodule of submodules) {
    const inside = { ...git, cwd: join(git.cwd, submodule.path) };
    if (!(await holdsCommit(inside, submodule.sha))) continue;
    await exportTo(inside, submodule.sha, join(directory, submodule.path), index);
  }
}

/** Whether a submodule is checked out, so that its files are available without the network. */
async function holdsCommit(inside: GitEnvironment, sha: string): Promise<boolean> {
  try {
    const prefix = await gitLine(inside, "rev-parse", "--show-prefix");
    // In a folder that is not checked out, git would answer for the surrounding repository.
    if (prefix !== null && prefix !== "") return false;
    return (await gitLine(inside, "rev-parse", "--quiet", "--verify", `${sha}^{commit}`)) !== null;
  } catch {
    return false;
  }
}

async function atTop(git: GitEnvironment): Promise<GitEnvironment> {
  return { ...git, cwd: (await gitLine(git, "rev-parse", "--show-toplevel")) ?? git.cwd };
}
