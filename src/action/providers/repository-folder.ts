import { relative, sep } from "node:path";

/** A path relative to a tree's root, with slashes; empty for the root itself, null for a path outside. */
export function pathWithin(root: string, path: string): string | null {
  const inner = relative(root, path).replaceAll(sep, "/");
  return inner === ".." || inner.startsWith("../") ? null : inner;
}

/** The folder above a path; empty for the root, null above that. */
export function parentOf(path: string): string | null {
  return path === "" ? null : path.slice(0, Math.max(0, path.lastIndexOf("/")));
}

/** All folders that contain one of the given folders. */
export function foldersAbove(folders: Iterable<string>): Set<string> {
  const above = new Set<string>();
  for (const folder of folders) {
    for (let parent = parentOf(folder); parent !== null && !above.has(parent); parent = parentOf(parent)) {
      above.add(parent);
    }
  }
  return above;
}
