import { changedFiles } from "../git/changed-files.ts";
import { PathMatcher } from "../targets/path-matcher.ts";
import { noTarget } from "../targets/path-rules.ts";
import { batched, type Change, type Impact } from "./provider.ts";

/** A package of a workspace. Its name is its target. */
export interface Package {
  readonly name: string;
  /** From the repository's root, with slashes; empty for the root itself. */
  readonly folder: string;
  /** The names of the packages that it needs; those of other origin are passed over. */
  readonly needs: readonly string[];
}

/**
 * The packages that changed files belong to, and all that need these. A file belongs to the package in the nearest folder
 * above it; what a line of targets-paths says about it goes before that. A file that belongs nowhere impacts everything.
 */
export async function targetsByPackages(packages: readonly Package[], change: Change): Promise<Impact> {
  const folders = Map.groupBy(packages, ({ folder }) => folder);
  const matcher = new PathMatcher(change.rules);
  const named = new Set<string>();
  const changed = new Set<string>();
  let seen: string | null = null;
  for await (const paths of changedFiles(change.git, change.baseSha, change.headSha)) {
    for (const path of paths) {
      if (matcher.addTargets(path, named)) continue;
      const folder = path.slice(0, Math.max(0, path.lastIndexOf("/")));
      if (folder === seen) continue;
      const owners = ownersOf(folder, folders);
      if (owners === null) {
        return { all: true, because: `${path} belongs to no package, and no line of targets-paths names it` };
      }
      for (const { name } of owners) changed.add(name);
      seen = folder;
    }
  }
  named.delete(noTarget);
  return { all: false, targets: batched(new Set([...withDependents(changed, packages), ...named])) };
}

function ownersOf(
  folder: string,
  folders: ReadonlyMap<string, readonly Package[]>,
): readonly Package[] | null {
  for (let above = folder; ; above = above.slice(0, Math.max(0, above.lastIndexOf("/")))) {
    const owners = folders.get(above);
    if (owners) return owners;
    if (above === "") return null;
  }
}

function withDependents(changed: ReadonlySet<string>, packages: readonly Package[]): Set<string> {
  const dependents = new Map<string, string[]>();
  for (const { name, needs } of packages) {
    for (const needed of needs) {
      const known = dependents.get(needed);
      if (known) known.push(name);
      else dependents.set(needed, [name]);
    }
  }
  const impacted = new Set(changed);
  // A set hands out what is added to it while one goes through it.
  for (const name of impacted) for (const dependent of dependents.get(name) ?? []) impacted.add(dependent);
  return impacted;
}
