import { type GitEnvironment, gitItems } from "./git.ts";

/** The paths that differ between two commits, a renamed file under both its names. Of a plumbing command, which no configuration bends. */
export function changedFiles(
  git: GitEnvironment,
  baseSha: string,
  headSha: string,
): AsyncGenerator<readonly string[]> {
  const flags = ["-r", "--name-only", "-z", "--no-renames", "--ignore-submodules=none"];
  return gitItems(git, "\0", "diff-tree", ...flags, baseSha, headSha);
}
