import { existsSync } from "node:fs";
import { mkdir, symlink } from "node:fs/promises";
import { dirname, join, posix } from "node:path";
import { type GitEnvironment, gitLine } from "../../git/git.ts";
import type { TreeEntry } from "../../git/tree.ts";

/** Links the checkout's `node_modules` into the exported files of a commit, because Nx and its plugins are loaded from there. */
export async function linkInstalled(
  git: GitEnvironment,
  root: string,
  manifests: readonly TreeEntry[],
): Promise<void> {
  const checkout = (await gitLine(git, "rev-parse", "--show-toplevel")) ?? git.cwd;
  for (const folder of new Set(["", ...manifests.map(({ path }) => posix.dirname(path))])) {
    const installed = join(checkout, folder, "node_modules");
    const place = join(root, folder, "node_modules");
    if (!existsSync(installed) || existsSync(place)) continue;
    await mkdir(dirname(place), { recursive: true });
    await symlink(installed, place);
  }
}
