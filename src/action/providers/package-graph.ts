import { changedFilesOfBothSides } from "../git/changed-files.ts";
import { PathMatcher } from "../targets/path-matcher.ts";
import { noTarget, type PathRule } from "../targets/path-rules.ts";
import { type FileLinks, withLinks } from "./file-links.ts";
import { Owners } from "./owners.ts";
import { batched, type Change, type Impact } from "./provider.ts";

/** A package of a workspace. Its name is its target. */
export interface Package {
  readonly name: string;
  /** False for one that the tool does not list: nothing certainly belongs to it, and it only connects others. */
  readonly isTarget: boolean;
  /** From the repository's root, with slashes; empty for the root itself. */
  readonly folder: string;
  /** Folders below which everything certainly belongs to it, but for what other packages have. */
  readonly ownFolders: readonly string[];
  /** Files that certainly belong to it, in any folder. They may belong to others, too. */
  readonly ownFiles: readonly string[];
  /** The names of the packages that it needs; those of other origin are passed over. */
  readonly needs: readonly string[];
}

/** The packages of a workspace at one commit. */
export interface Workspace {
  readonly packages: readonly Package[];
  /** What packages read besides what is theirs. */
  readonly inputs: readonly PathRule[];
  /** Packages that anything may be made from. */
  readonly neededByAll: ReadonlySet<string>;
  readonly links: FileLinks;
}

/** A workspace before and after a change. */
export interface BothSides {
  readonly base: Workspace;
  readonly head: Workspace;
}

/** Asks for both sides of a change, one after the other, since a build tool takes all of a machine. */
export async function askBothSides(
  { baseSha, headSha }: Change,
  ask: (sha: string, side: keyof BothSides) => Promise<Workspace>,
): Promise<BothSides> {
  return { base: await ask(baseSha, "base"), head: await ask(headSha, "head") };
}

/**
 * The packages that changed files belong to, and all that need these before or after the change. A line of targets-paths goes before what
 * the tool says. What does not certainly belong to a package, on each side on which it exists, impacts everything.
 */
export async function targetsByPackages(sides: BothSides, change: Change): Promise<Impact> {
  const matcher = new PathMatcher(change.rules);
  const owners = { base: new Owners(sides.base), head: new Owners(sides.head) };
  const named = new Set<string>();
  const changed = new Set<string>();
  const files = changedFilesOfBothSides(change.git, change.baseSha, change.headSha);
  for await (const { path, isSubmodule, ...file } of withLinks(files, sides)) {
    if (matcher.addTargets(path, named)) continue;
    if (isSubmodule) return everything(`${path} is a submodule`);
    if (file.isAtBase && !owners.base.addOwners(path, changed)) return everything(unowned(path));
    if (file.isAtHead && !owners.head.addOwners(path, changed)) return everything(unowned(path));
  }
  named.delete(noTarget);
  return withDependents(changed, sides, named);
}

function unowned(path: string): string {
  return `${path} does not certainly belong to one package`;
}

function everything(what: string): Impact {
  return { all: true, because: `${what}, and no line of targets-paths names it` };
}

function withDependents(changed: Set<string>, { base, head }: BothSides, named: Set<string>): Impact {
  const packages = [...base.packages, ...head.packages];
  const dependents = new Map<string, string[]>();
  for (const { name, needs } of packages) {
    for (const needed of needs) {
      const known = dependents.get(needed);
      if (known) known.push(name);
      else dependents.set(needed, [name]);
    }
  }
  // A set hands out what is added to it while one goes through it.
  for (const name of changed) {
    if (base.neededByAll.has(name) || head.neededByAll.has(name)) {
      return {
        all: true,
        because: `the workspace replaces a package of any origin with ${name}, which it changes`,
      };
    }
    for (const dependent of dependents.get(name) ?? []) changed.add(dependent);
  }
  const targets = new Set(packages.filter(({ isTarget }) => isTarget).map(({ name }) => name));
  return {
    all: false,
    targets: batched(new Set([...changed].filter((name) => targets.has(name)).concat(...named))),
  };
}
