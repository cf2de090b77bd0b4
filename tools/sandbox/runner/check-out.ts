import { execFile } from "node:child_process";
import { mkdtemp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { FinishingJob } from "../ci/ci-settings.ts";
import { gitEnvironment } from "../git/git-environment.ts";

const run = promisify(execFile);
const identity = ["-c", "user.name=GitHub", "-c", "user.email=noreply@example.com"];

/**
 * Creates a checkout without files of the commit that a job tests; for a pull request, of its test merge. It uses the objects of
 * the bare repository. Returns its directory and the commit.
 */
export async function checkOut(
  { gitDirectory, sha, tree, pr }: Pick<FinishingJob, "gitDirectory" | "sha" | "tree" | "pr">,
  directory: string,
): Promise<{ readonly workspace: string; readonly commit: string }> {
  const workspace = await mkdtemp(join(directory, "checkout-"));
  const git = async (...args: string[]) =>
    (await run("git", [...identity, ...args], { cwd: workspace, env: gitEnvironment() })).stdout.trim();
  await git("init", "--quiet");
  await writeFile(join(workspace, ".git/objects/info/alternates"), `${join(gitDirectory, "objects")}\n`);
  const commit = pr === null ? sha : await git("commit-tree", tree, "-p", sha, "-m", "Test merge");
  await git("update-ref", "--no-deref", "HEAD", commit);
  return { workspace, commit };
}
