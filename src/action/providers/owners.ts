import { PathMatcher } from "../targets/path-matcher.ts";
import type { Workspace } from "./package-graph.ts";
import { parentOf } from "./repository-folder.ts";

/** Finds the packages of a commit that a file belongs to. */
export class Owners {
  /** The packages that own everything below a folder. Empty for the folder of a package whose files may belong to other packages. */
  readonly #folders = new Map<string, string[]>();
  readonly #files = new Map<string, string[]>();
  readonly #readers: PathMatcher;

  constructor({ packages, inputs }: Workspace) {
    for (const { folder } of packages) this.#folders.set(folder, []);
    for (const { name, ownFolders, ownFiles } of packages) {
      for (const folder of ownFolders) add(this.#folders, folder, name);
      for (const file of ownFiles) add(this.#files, file, name);
    }
    this.#readers = new PathMatcher(inputs);
  }

  /** Adds the packages that a file belongs to, and those that read it. Returns false if the file has no certain owner. */
  addOwners(path: string, found: Set<string>): boolean {
    this.#readers.addTargets(path, found);
    const owners = [...(this.#files.get(path) ?? []), ...this.#ownersOfFolder(path)];
    for (const name of owners) found.add(name);
    return owners.length > 0;
  }

  #ownersOfFolder(path: string): readonly string[] {
    // Starts with the path itself, because a link can be a package's folder.
    for (let folder: string | null = path; folder !== null; folder = parentOf(folder)) {
      const owners = this.#folders.get(folder);
      if (owners) return owners;
    }
    return [];
  }
}

function add(map: Map<string, string[]>, key: string, name: string): void {
  const names = map.get(key);
  if (names) names.push(name);
  else map.set(key, [name]);
}
