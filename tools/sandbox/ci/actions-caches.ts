/** A cache entry that `actions/cache` saved. */
interface CacheEntry {
  readonly branch: string;
  readonly key: string;
}

/**
 * The caches of a repository, with the scopes of `actions/cache`. A run restores the caches of its own branch first, then those
 * of the default branch. It saves for its own branch. No run restores the caches of a deleted branch.
 * https://docs.github.com/en/actions/reference/workflows-and-actions/dependency-caching
 */
export class ActionsCaches {
  readonly #defaultBranch: string;
  /** Oldest first. */
  readonly #entries: CacheEntry[] = [];

  constructor(defaultBranch: string) {
    this.#defaultBranch = defaultBranch;
  }

  /**
   * Returns the key of the cache to restore: an equal key, else the newest key that starts with one of the restore keys. Null =
   * none.
   */
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

  /** Saves a cache. An existing entry is not replaced. */
  save(branch: string, key: string): void {
    if (!this.#entries.some((entry) => entry.branch === branch && entry.key === key))
      this.#entries.push({ branch, key });
  }
}
