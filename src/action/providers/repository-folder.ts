import { relative, sep } from "node:path";

/** The path of what is in a tree, from the tree's root, with slashes: empty for the root itself, null for what is outside. */
export function pathWithin(root: string, path: string): string | null {
  const inner = relative(root, path).replaceAll(sep, "/");
  return inner === ".." || inner.startsWith("../") ? null : inner;
}

/** The folder above a path; empty for the root, null above that. */
export function parentOf(path: string): string | null {
  return path === "" ? null : path.slice(0, Math.max(0, path.lastIndexOf("/")));
}

/** All folders that have one of these below them. */
export function foldersAbove(folders: Iterable<string>): Set<string> {
  const above = new Set<string>();
  for (const folder of folders) {
    for (let parent = parentOf(folder); parent !== null && !above.has(parent); parent = parentOf(parent)) {
      above.add(parent);
    }
  }
  return above;
}
