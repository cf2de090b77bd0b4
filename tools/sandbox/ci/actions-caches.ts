/** An entry of the cache that `actions/cache` saves. */
interface CacheEntry {
  readonly branch: string;
  readonly key: string;
}

/**
 * The caches of a repository as `actions/cache` scopes them: a run restores those of its own branch, then those of the default branch,
 * and saves for its own branch; a branch that is deleted leaves caches that nothing restores.
 * https://docs.github.com/en/actions/reference/workflows-and-actions/dependency-caching
 */
export class ActionsCaches {
  readonly #defaultBranch: string;
  /** Oldest first. */
  readonly #entries: CacheEntry[] = [];

  constructor(defaultBranch: string) {
    this.#defaultBranch = defaultBranch;
  }

  /** The key of the cache that is restored: an equal one, else the newest that begins with one of the restore keys; null: none. */
  restore(branch: string, key: string, restoreKeys: readonly string[]): string | null {
    for (const scope of [branch, this.#defaultBranch]) {
      const own = this.#entries.filter((entry) => entry.branch === scope).toReversed();
      const exact = own.find((entry) => entry.key === key);
      const near = restoreKeys.flatMap((prefix) => own.find((entry) => entry.key.startsWith(prefix)) ?? []);
      const found = exact ?? near[0];
      if (found) return found.key;
    }
    return null;
  }

  /** What exists is not replaced. */
  save(branch: string, key: string): void {
    if (!this.#entries.some((entry) => entry.branch === branch && entry.key === key))
      this.#entries.push({ branch, key });
  }
}
