import { isTree, type TreeEntry } from "./git-object.ts";
import type { GitRepository } from "./git-repository.ts";
import { changedPaths } from "./tree-files.ts";

/**
 * Merges two trees of which each only adds and changes files, and not the same ones. Returns null for every other merge: git has to
 * decide that. Where nothing was removed, git finds no renames, so its result is the same; and it needs a process for each merge.
 */
export async function mergeDisjoint(
  git: GitRepository,
  base: string,
  ours: string,
  theirs: string,
): Promise<string | null> {
  for (const side of [ours, theirs])
    if ((await changedPaths(git, base, side)).removed.length > 0) return null;
  return await mergeLevel(git, base, ours, theirs);
}

async function mergeLevel(
  git: GitRepository,
  base: string | null,
  ours: string,
  theirs: string,
): Promise<string | null> {
  const [was, mine, other] = [
    await entriesOf(git, base),
    await entriesOf(git, ours),
    await entriesOf(git, theirs),
  ];
  const merged: TreeEntry[] = [];
  for (const name of new Set([...mine.keys(), ...other.keys()])) {
    const entry = await mergeEntry(git, was.get(name), mine.get(name), other.get(name));
    if (entry === null) return null;
    merged.push(entry);
  }
  return git.writeTree(merged);
}

async function mergeEntry(
  git: GitRepository,
  was: TreeEntry | undefined,
  mine: TreeEntry | undefined,
  other: TreeEntry | undefined,
): Promise<TreeEntry | null> {
  if (isSame(mine, other) || isSame(was, other)) return mine ?? null;
  if (isSame(was, mine)) return other ?? null;
  if (!mine || !other || !isTree(mine) || !isTree(other)) return null;
  const sha = await mergeLevel(git, was && isTree(was) ? was.sha : null, mine.sha, other.sha);
  return sha === null ? null : { ...mine, sha };
}

const isSame = (a: TreeEntry | undefined, b: TreeEntry | undefined): boolean =>
  a?.sha === b?.sha && a?.mode === b?.mode;

async function entriesOf(git: GitRepository, tree: string | null): Promise<ReadonlyMap<string, TreeEntry>> {
  const entries = tree === null ? [] : ((await git.readTree(tree)) ?? []);
  return new Map(entries.map((entry) => [entry.name, entry]));
}
