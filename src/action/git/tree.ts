import { type GitEnvironment, gitItems } from "./git.ts";

/** A path of a commit, and the object there. */
export interface TreeEntry {
  readonly path: string;
  readonly sha: string;
}

/** The entries of a commit that providers look for. */
export interface Tree {
  /** The files that `isWanted` selects. */
  readonly files: readonly TreeEntry[];
  readonly symlinks: readonly TreeEntry[];
  readonly submodules: readonly TreeEntry[];
}

/** Reads the paths of a commit, and keeps wanted files, symbolic links and submodules. Paths are relative to the repository's root. */
export async function scanTree(
  git: GitEnvironment,
  sha: string,
  isWanted: (path: string) => boolean,
): Promise<Tree> {
  const tree = { files: [] as TreeEntry[], symlinks: [] as TreeEntry[], submodules: [] as TreeEntry[] };
  for await (const lines of gitItems(git, "\0", "ls-tree", "-r", "-z", "--full-tree", sha)) {
    for (const line of lines) {
      const tab = line.indexOf("\t");
      const [mode, , object = ""] = line.slice(0, tab).split(" ");
      const entry = { path: line.slice(tab + 1), sha: object };
      if (mode === "120000") tree.symlinks.push(entry);
      else if (mode === "160000") tree.submodules.push(entry);
      else if (isWanted(entry.path)) tree.files.push(entry);
    }
  }
  return tree;
}
