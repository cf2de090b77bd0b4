import { diff } from "./diff.ts";
import type { GitRepository } from "./git-repository.ts";
import { changedPaths, entryAt } from "./tree-files.ts";

export interface DiffSize {
  /** Number of lines. */
  additions: number;
  deletions: number;
  files: number;
}

const remembered = new WeakMap<GitRepository, Map<string, Promise<DiffSize>>>();

/**
 * Returns the size of the difference between two commits. Results are kept: callers often ask for the same commits, and some
 * computations need a process.
 */
export function diffSize(git: GitRepository, before: string, after: string): Promise<DiffSize> {
  const sizes = remembered.get(git) ?? new Map<string, Promise<DiffSize>>();
  remembered.set(git, sizes);
  const key = `${before} ${after}`;
  const known = sizes.get(key);
  if (known !== undefined) return known;
  const size = measure(git, before, after);
  sizes.set(key, size);
  return size;
}

async function measure(git: GitRepository, before: string, after: string): Promise<DiffSize> {
  const simple = await measureAdditions(git, before, after);
  if (simple !== null) return simple;
  const files = await diff(git.directory, before, after, { patches: false });
  return {
    additions: files.reduce((sum, file) => sum + file.additions, 0),
    deletions: files.reduce((sum, file) => sum + file.deletions, 0),
    files: files.length,
  };
}

/** The size of a difference that only adds files, as most of those in tests do; null for others, which git has to compare. */
async function measureAdditions(git: GitRepository, before: string, after: string): Promise<DiffSize | null> {
  const [was, is] = [await git.commit(before), await git.commit(after)];
  if (was === null || is === null) return null;
  const { added, removed, modified } = await changedPaths(git, was.tree, is.tree);
  if (removed.length + modified.length > 0) return null;
  let additions = 0;
  for (const path of added) {
    const entry = await entryAt(git, is.tree, path);
    const blob = entry?.mode === "160000" ? null : await git.readObject(entry?.sha ?? "");
    if (blob === null) return null;
    additions += linesIn(blob.content);
  }
  return { additions, deletions: 0, files: added.length };
}

/** Git's count: none in a binary file, which has a zero byte near its start. */
function linesIn(content: Buffer): number {
  if (content.subarray(0, 8_000).includes(0)) return 0;
  let lines = content.length > 0 && content.at(-1) !== 10 ? 1 : 0;
  for (const byte of content) if (byte === 10) lines += 1;
  return lines;
}
