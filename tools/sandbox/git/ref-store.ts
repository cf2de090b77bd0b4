import { mkdirSync, renameSync, rmdirSync, unlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

interface RefChange {
  readonly ref: string;
  readonly before: string | null;
  /** In milliseconds since the epoch. */
  readonly at: number;
}

/** How long ref changes are kept, in milliseconds. */
const keptMs = 5 * 60_000;

/** https://git-scm.com/docs/git-check-ref-format */
export const isValidRef = (ref: string): boolean =>
  /^refs\/[^/]+\/./.test(ref) && !/(\.\.|@\{|\/\/|\/\.|\.lock(\/|$)|[\s\p{Cc}~^:?*[\\]|\/$|\.$)/u.test(ref);

/** The refs at a past time. */
type PastRefs = Pick<RefStore, "get" | "list">;

/**
 * The refs of a bare repository: a map in memory, written through to git's files. Invariant: nothing else writes refs to the
 * directory while the sandbox has it open.
 */
export class RefStore {
  readonly #refs = new Map<string, string>();
  /** The inverse of `#refs`: the refs that point at an object. */
  readonly #names = new Map<string, Set<string>>();
  /** Oldest first. */
  readonly #changes: RefChange[] = [];
  readonly #directory: string;
  #isClosed = false;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** @param ref a full name such as `refs/heads/main` */
  get(ref: string): string | null {
    return this.#refs.get(ref) ?? null;
  }

  /** Full names and object ids of the refs that start with `prefix`, sorted by name. */
  list(prefix: string): [ref: string, sha: string][] {
    return [...this.#refs].filter(([ref]) => ref.startsWith(prefix)).sort(([a], [b]) => (a < b ? -1 : 1));
  }

  /**
   * Returns the refs at a past time.
   * @param at in milliseconds since the epoch, at most some minutes ago
   */
  at(at: number): PastRefs {
    const refs = new Map(this.#refs);
    for (const change of this.#changes.toReversed()) {
      if (change.at <= at) break;
      if (change.before === null) refs.delete(change.ref);
      else refs.set(change.ref, change.before);
    }
    return {
      get: (ref) => refs.get(ref) ?? null,
      list: (prefix) =>
        [...refs].filter(([ref]) => ref.startsWith(prefix)).sort(([a], [b]) => (a < b ? -1 : 1)),
    };
  }

  /** When a ref last changed, in milliseconds since the epoch; 0 = not within the last minutes. */
  changedAt(ref: string): number {
    return this.#changes.findLast((change) => change.ref === ref)?.at ?? 0;
  }

  /** Full names of the refs that start with `prefix` and point at an object, sorted. */
  pointingAt(sha: string, prefix: string): string[] {
    return [...(this.#names.get(sha) ?? [])].filter((ref) => ref.startsWith(prefix)).sort();
  }

  /** Returns the ref that prevents `ref`, because one of the two names is a directory of the other. */
  obstacle(ref: string): string | null {
    for (const existing of this.#refs.keys()) {
      if (existing.startsWith(`${ref}/`) || ref.startsWith(`${existing}/`)) return existing;
    }
    return null;
  }

  /**
   * Compare-and-swap: moves `ref` from `before` to `after` (null = absent). Returns false and changes nothing if the ref is not
   * at `before`.
   */
  swap(ref: string, before: string | null, after: string | null): boolean {
    if (this.#isClosed) throw new Error("the repository is closed");
    if (this.get(ref) !== before) return false;
    if (before === after) return true;
    if (!isValidRef(ref)) throw new Error(`${ref} is no valid name of a ref`);
    if (after === null) deleteRefFile(this.#directory, ref);
    else writeRefFile(this.#directory, ref, after);
    this.#remember(ref, before, after);
    return true;
  }

  close(): void {
    this.#isClosed = true;
  }

  #remember(ref: string, before: string | null, after: string | null): void {
    const now = Date.now();
    this.#changes.push({ ref, before, at: now });
    while ((this.#changes[0]?.at ?? now) < now - keptMs) this.#changes.shift();
    if (before !== null) this.#names.get(before)?.delete(ref);
    if (after === null) {
      this.#refs.delete(ref);
      return;
    }
    this.#refs.set(ref, after);
    const names = this.#names.get(after) ?? new Set();
    this.#names.set(after, names.add(ref));
  }
}

/**
 * Writes the file of a ref. `git update-ref` would need a process for each repository. Git reads refs while they change, so a ref
 * is replaced at once.
 * https://git-scm.com/book/en/v2/Git-Internals-Git-References
 */
function writeRefFile(directory: string, ref: string, sha: string): void {
  const path = join(directory, ref);
  mkdirSync(dirname(path), { recursive: true });
  // Git does not regard such a file as a ref.
  const temporary = `${path}.lock`;
  writeFileSync(temporary, `${sha}\n`);
  renameSync(temporary, path);
}

/** Deletes the file of a ref, and the directories that become empty, because they would prevent a ref with their name. */
function deleteRefFile(directory: string, ref: string): void {
  unlinkSync(join(directory, ref));
  // Git needs `refs/heads` and similar directories, which have two names.
  for (let parent = dirname(ref); parent.split("/").length > 2; parent = dirname(parent)) {
    try {
      rmdirSync(join(directory, parent));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOTEMPTY") throw error;
      return;
    }
  }
}
