import { realpath } from "node:fs/promises";
import { relative, sep } from "node:path";
import { type GitEnvironment, gitLine } from "../git/git.ts";

/** Turns a directory of the checkout into its path from the repository's root, with slashes; empty for the root. */
export async function repositoryFolders(
  git: GitEnvironment,
): Promise<(directory: string) => Promise<string>> {
  const root = await realpath((await gitLine(git, "rev-parse", "--show-toplevel")) ?? git.cwd);
  return async (directory) => relative(root, await realpath(directory)).replaceAll(sep, "/");
}
