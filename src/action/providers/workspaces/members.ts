import { posix } from "node:path";
import { compileGlob } from "../../targets/glob.ts";
import { type Manifest, workspaceGlobs } from "./manifest.ts";

export type NodeTool = "npm" | "pnpm" | "yarn";

/**
 * The folders that the globs include and do not exclude. A later glob overrides an earlier one.
 *
 * @param folders folders with a package.json, relative to the folder that defines the globs.
 */
export function foldersMatching(globs: readonly string[], folders: readonly string[]): string[] {
  const patterns = globs.map((glob) => ({
    isIncluded: !glob.startsWith("!"),
    pattern: compileGlob(glob.replace(/^!/, "").replace(/\/+$/, "")),
  }));
  return folders.filter((folder) => patterns.findLast(({ pattern }) => pattern.test(folder))?.isIncluded);
}

/**
 * The folders of a workspace's packages. A member of a Yarn workspace may have workspaces of its own.
 *
 * @param linked maps links to the folders that they lead to, because globs match links, too.
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
  // Iterating over a set also visits items that are added meanwhile.
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
