import { posix } from "node:path";
import { compileGlob } from "../../targets/glob.ts";
import { type Manifest, workspaceGlobs } from "./manifest.ts";

export type NodeTool = "npm" | "pnpm" | "yarn";

/**
 * The folders that globs include and do not exclude; in them, a later glob goes before an earlier one.
 *
 * @param folders those with a package.json, from the folder that the globs are of.
 */
export function foldersMatching(globs: readonly string[], folders: readonly string[]): string[] {
  const patterns = globs.map((glob) => ({
    isIncluded: !glob.startsWith("!"),
    pattern: compileGlob(glob.replace(/^!/, "").replace(/\/+$/, "")),
  }));
  return folders.filter((folder) => patterns.findLast(({ pattern }) => pattern.test(folder))?.isIncluded);
}

/**
 * The folders of a workspace's packages. Those of Yarn may have workspaces of their own.
 *
 * @param linked folders by the links that lead to them, for globs match these, too.
 */
export function memberFolders(
  tool: NodeTool,
  globs: readonly string[],
  manifests: ReadonlyMap<string, Manifest>,
  linked: ReadonlyMap<string, string>,
): Set<string> {
  const folders = [...manifests.keys()];
  const members = new Set(
    foldersMatching(globs, [...folders, ...linked.keys()]).map((folder) => linked.get(folder) ?? folder),
  );
  if (tool !== "yarn") return members;
  // A set hands out what is added to it while one goes through it.
  for (const member of members) {
    const inner = workspaceGlobs(manifests.get(member) ?? {});
    if (inner.length === 0 || member === ".") continue;
    const below = folders.flatMap((folder) =>
      folder.startsWith(`${member}/`) ? [posix.relative(member, folder)] : [],
    );
    for (const folder of foldersMatching(inner, below)) members.add(posix.join(member, folder));
  }
  return members;
}
