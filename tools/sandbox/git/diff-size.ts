import { diff } from "./diff.ts";
import type { GitRepository } from "./git-repository.ts";

export interface DiffSize {
  /** Number of lines. */
  additions: number;
  deletions: number;
  files: number;
}

const remembered = new WeakMap<GitRepository, Map<string, Promise<DiffSize>>>();

/**
 * Returns the size of the difference between two commits. Results are kept: callers often ask for the same commits, and each
 * computation needs a process.
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
  const files = await diff(git.directory, before, after, { patches: false });
  return {
    additions: files.reduce((sum, file) => sum + file.additions, 0),
    deletions: files.reduce((sum, file) => sum + file.deletions, 0),
    files: files.length,
  };
}
