import { changedFilesOfBothSides } from "../git/git.ts";
import { noTarget, PathMatcher, type PathRule } from "../targets/path-rules.ts";
import { batched, type Change, type Impact } from "./provider.ts";
import { type FileLinks, parentOf, withLinks } from "./repository-paths.ts";

/** A package of a workspace. Its name is its target. */
export interface Package {
  readonly name: string;
  /** False for a package that the tool does not list: no file certainly belongs to it, and it only connects others. */
  readonly isTarget: boolean;
  /** Relative to the repository's root, with slashes; empty for the root itself. */
  readonly folder: string;
  /** Folders below which every file certainly belongs to it, except files of other packages. */
  readonly ownFolders: readonly string[];
  /** Files in any folder that certainly belong to it. They may belong to others, too. */
  readonly ownFiles: readonly string[];
  /** The names of the packages that it depends on. Names of packages outside the workspace are ignored. */
  readonly needs: readonly string[];
}

/** The packages of a workspace at one commit. */
export interface Workspace {
  readonly packages: readonly Package[];
  /** Files that packages read besides their own. */
  readonly inputs: readonly PathRule[];
  /** Packages that any package may depend on. */
  readonly neededByAll: ReadonlySet<string>;
  readonly links: FileLinks;
}

/** A workspace before and after a change, and on the branch that the change will be merged into. */
export interface Sides {
  readonly base: Workspace;
  readonly head: Workspace;
  readonly target: Workspace;
}

/** Reads the sides of a change, one after the other, because a build tool uses the whole machine. */
export async function askSides(
  { baseSha, headSha, targetSha }: Change,
  ask: (sha: string, side: keyof Sides) => Promise<Workspace>,
): Promise<Sides> {
  const base = await ask(baseSha, "base");
  const head = await ask(headSha, "head");
  return { base, head, target: targetSha === baseSha ? base : await ask(targetSha, "target") };
}

/**
 * The packages that changed files belong to, and their transitive dependents before the change, after it, or on the target branch, which
 * may have gained packages and dependencies since. Rules of targets-paths take precedence over the tool. If a file has no certain owner
 * where it exists, everything is impacted. A file also counts as changed if it moves to another package because a package inside is added
 * or removed.
 */
export async function targetsByPackages(sides: Sides, change: Change): Promise<Impact> {
  const matcher = new PathMatcher(change.rules);
  const base = new Owners(sides.base);
  const owners = {
    base,
    head: new Owners(sides.head),
    target: sides.target === sides.base ? base : new Owners(sides.target),
  };
  const named = new Set<string>();
  const changed = new Set<string>();
  const files = changedFilesOfBothSides(change.git, change.baseSha, change.headSha);
  for await (const file of withLinks(files, sides)) {
    const { path, isSubmodule } = file;
    if (matcher.addTargets(path, named)) continue;
    if (isSubmodule) return everything(`${path} is a submodule`);
    for (const side of ["base", "head", "target"] as const) {
      const isOwned = owners[side].addOwners(path, changed);
      if (!isOwned && file.sides.includes(side)) return everything(unowned(path));
    }
  }
  // A change of a file in one of the packages may have changed the list of the workspace's members.
  for (const name of targetsOf(sides.base).symmetricDifference(targetsOf(sides.head))) changed.add(name);
  named.delete(noTarget);
  return withDependents(changed, sides, named);
}

function unowned(path: string): string {
  return `${path} may belong to more than one package, or to none`;
}

function everything(what: string): Impact {
  return { all: true, because: `${what}, and no line of targets-paths names it` };
}

function withDependents(changed: Set<string>, sides: Sides, named: Set<string>): Impact {
  const workspaces = [sides.base, sides.head, sides.target];
  const packages = workspaces.flatMap((workspace) => workspace.packages);
  const dependents = new Map<string, string[]>();
  for (const { name, needs } of packages) for (const needed of needs) add(dependents, needed, name);
  // A package may have a different name on the target branch.
  for (const same of Map.groupBy(packages, ({ folder }) => folder).values())
    for (const { name } of same)
      for (const other of same) if (other.name !== name) add(dependents, name, other.name);
  // Iterating over a set also visits items that are added meanwhile.
  for (const name of changed) {
    if (workspaces.some(({ neededByAll }) => neededByAll.has(name))) {
      return {
        all: true,
        because: `the pull request changes ${name}, which the workspace substitutes for a package of any source`,
      };
    }
    for (const dependent of dependents.get(name) ?? []) changed.add(dependent);
  }
  const targets = workspaces.map(targetsOf).reduce((all, some) => all.union(some));
  return {
    all: false,
    targets: batched(new Set([...changed].filter((name) => targets.has(name)).concat(...named))),
  };
}

function targetsOf({ packages }: Workspace): Set<string> {
  return new Set(packages.filter(({ isTarget }) => isTarget).map(({ name }) => name));
}

/** Finds the packages of a commit that a file belongs to. */
class Owners {
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
