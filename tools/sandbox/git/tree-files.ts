import { isTree, type TreeEntry } from "./git-object.ts";
import type { GitRepository } from "./git-repository.ts";

/** Returns the entry at `path` in a tree (slashes between names; empty = the tree itself), or null. */
export async function entryAt(git: GitRepository, tree: string, path: string): Promise<TreeEntry | null> {
  let entry: TreeEntry = { mode: "40000", name: "", sha: tree };
  for (const name of path.split("/").filter((part) => part !== "")) {
    const entries = isTree(entry) ? await git.readTree(entry.sha) : null;
    const next = entries?.find((candidate) => candidate.name === name);
    if (next === undefined) return null;
    entry = next;
  }
  return entry;
}

/** Returns every entry below a tree by its full path, trees before their content. */
export async function entriesBelow(
  git: GitRepository,
  tree: string,
  prefix = "",
): Promise<{ path: string; entry: TreeEntry }[]> {
  const found: { path: string; entry: TreeEntry }[] = [];
  for (const entry of (await git.readTree(tree)) ?? []) {
    const path = `${prefix}${entry.name}`;
    found.push({ path, entry });
    if (isTree(entry)) found.push(...(await entriesBelow(git, entry.sha, `${path}/`)));
  }
  return found;
}

/** Writes a tree from files by path, including all directories. */
export function writeFileTree(git: GitRepository, files: Record<string, string>): string {
  const entries: TreeEntry[] = [];
  const directories = new Map<string, Record<string, string>>();
  for (const [path, content] of Object.entries(files)) {
    const slash = path.indexOf("/");
    if (slash === -1) {
      entries.push({ mode: "100644", name: path, sha: git.writeBlob(Buffer.from(content)) });
      continue;
    }
    const directory = path.slice(0, slash);
    directories.set(directory, { ...directories.get(directory), [path.slice(slash + 1)]: content });
  }
  for (const [name, inside] of directories) {
    entries.push({ mode: "40000", name, sha: writeFileTree(git, inside) });
  }
  return git.writeTree(entries);
}

/**
 * Sets one entry of a tree (null = no tree) or, with a null entry, removes it. Returns the new tree; null if it would be empty.
 */
export async function withEntry(
  git: GitRepository,
  tree: string | null,
  path: string,
  entry: Omit<TreeEntry, "name"> | null,
): Promise<string | null> {
  const entries = tree === null ? [] : [...((await git.readTree(tree)) ?? [])];
  const slash = path.indexOf("/");
  const name = slash === -1 ? path : path.slice(0, slash);
  const rest = entries.filter((existing) => existing.name !== name);
  let replacement: Omit<TreeEntry, "name"> | null = entry;
  if (slash !== -1) {
    const existing = entries.find((candidate) => candidate.name === name && isTree(candidate));
    const inner = await withEntry(git, existing?.sha ?? null, path.slice(slash + 1), entry);
    replacement = inner === null ? null : { mode: "40000", sha: inner };
  }
  if (replacement !== null) rest.push({ name, ...replacement });
  return rest.length === 0 ? null : git.writeTree(rest);
}

interface ChangedPaths {
  added: string[];
  removed: string[];
  modified: string[];
}

/** Returns the files that differ between two trees (null = empty). Renames appear as a removal and an addition. */
export async function changedPaths(
  git: GitRepository,
  before: string | null,
  after: string | null,
  prefix = "",
  changes: ChangedPaths = { added: [], removed: [], modified: [] },
): Promise<ChangedPaths> {
  if (before === after) return changes;
  const [left, right] = await Promise.all(
    [before, after].map(async (tree) => {
      const entries = tree === null ? [] : ((await git.readTree(tree)) ?? []);
      return new Map(entries.map((entry) => [entry.name, entry]));
    }),
  );
  for (const name of new Set([...(left?.keys() ?? []), ...(right?.keys() ?? [])])) {
    const [was, is] = [left?.get(name), right?.get(name)];
    if (was?.sha === is?.sha && was?.mode === is?.mode) continue;
    const path = `${prefix}${name}`;
    const wasTree = was !== undefined && isTree(was) ? was.sha : null;
    const isNowTree = is !== undefined && isTree(is) ? is.sha : null;
    if (wasTree !== null || isNowTree !== null) {
      await changedPaths(git, wasTree, isNowTree, `${path}/`, changes);
    }
    const wasFile = was !== undefined && wasTree === null;
    const isFile = is !== undefined && isNowTree === null;
    if (wasFile && isFile) changes.modified.push(path);
    else if (wasFile) changes.removed.push(path);
    else if (isFile) changes.added.push(path);
  }
  return changes;
}
