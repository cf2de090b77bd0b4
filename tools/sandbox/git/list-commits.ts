import { runGit } from "./run-git.ts";

/** The commits that a commit contains, the newest first; with a path, only those that changed it. */
export async function listCommits(directory: string, from: string, path?: string): Promise<string[]> {
  const { exitCode, stdout, stderr } = await runGit(directory, [
    "rev-list",
    from,
    ...(path === undefined ? [] : ["--", path]),
  ]);
  if (exitCode !== 0) throw new Error(`git rev-list: ${stderr.trim()}`);
  return stdout.toString("utf8").split("\n").filter(Boolean);
}
