import { posix, relative, sep } from "node:path";
import { type ChangedFile, type GitEnvironment, readFiles, type TreeEntry } from "../git/git.ts";
import type { Sides } from "./package-graph.ts";

/** Symbolic links of a commit, by the paths that they lead to or through. */
export type FileLinks = ReadonlyMap<string, readonly string[]>;

/** The maximum number of links that Linux follows. */
const mostHops = 40;

export async function readLinks(git: GitEnvironment, symlinks: readonly TreeEntry[]): Promise<FileLinks> {
  const destinations = new Map((await readFiles(git, symlinks)).map(({ path, text }) => [path, text]));
  const links = new Map<string, string[]>();
  for (const link of destinations.keys()) {
    for (const passed of pathsBehind(link, destinations)) {
      const known = links.get(passed);
      if (known) known.push(link);
      else links.set(passed, [link]);
    }
  }
  return links;
}

/** The paths that a link leads through, and its end, which may be outside of the repository. */
function* pathsBehind(link: string, destinations: ReadonlyMap<string, string>): Generator<string> {
  let path = destinationOf(link, destinations.get(link) ?? "");
  for (let hops = 0; hops < mostHops; hops++) {
    yield path;
    const next = [path, ...foldersOf(path)].find((folder) => destinations.has(folder));
    if (next === undefined) return;
    yield next;
    path = posix.join(destinationOf(next, destinations.get(next) ?? ""), path.slice(next.length));
  }
}

function destinationOf(link: string, text: string): string {
  const path = posix.isAbsolute(text) ? text : posix.join(posix.dirname(link), text);
  return path.replace(/^\.$|\/$/, "");
}

function* foldersOf(path: string): Generator<string> {
  for (let folder = parentOf(path); folder !== null; folder = parentOf(folder)) yield folder;
}

/** A changed file, or a link that leads to it. */
interface ShownFile {
  readonly path: string;
  readonly isSubmodule: boolean;
  /** The sides on which it exists. */
  readonly sides: readonly (keyof Sides)[];
}

/**
 * Adds the links that lead to changed files. A file of the base counts as one of the target branch, too: if that branch has moved or
 * deleted a changed file, everything is impacted anyway.
 */
export async function* withLinks(files: AsyncIterable<ChangedFile>, sides: Sides): AsyncGenerator<ShownFile> {
  for await (const { path, isSubmodule, isAtBase, isAtHead } of files) {
    const before = isAtBase ? (["base", "target"] as const) : [];
    yield { path, isSubmodule, sides: isAtHead ? [...before, "head"] : before };
    for (const side of ["base", "head", "target"] as const)
      for (const link of linksTo(path, sides[side].links)) yield { path: link, isSubmodule, sides: [side] };
  }
}

function* linksTo(path: string, links: FileLinks): Generator<string> {
  if (links.size === 0) return;
  const found = new Set([path]);
  for (const shown of found) {
    for (const place of [shown, ...foldersOf(shown)])
      for (const link of links.get(place) ?? []) found.add(link);
  }
  found.delete(path);
  yield* found;
}

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
