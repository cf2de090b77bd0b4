const dayMs = 86_400_000;
/** The maximum number of cached tests: as many as one upload may have, some hundred bytes each. */
const mostTests = 200_000;

/**
 * Caches the numbers of tests that were seen today, by id, so that they need not be looked up for each
 * upload. A test that was seen today is not deleted before tomorrow, by any replica. Tests seen yesterday
 * must be looked up again.
 */
export class SeenTests {
  readonly #repositories = new Map<number, Map<string, number>>();
  #day = 0;
  #size = 0;

  /** The cached tests of one repository. */
  today(repositoryId: number, at: number): ReadonlyMap<string, number> {
    return this.#of(repositoryId, at);
  }

  add(repositoryId: number, at: number, id: string, sk: number): void {
    const seen = this.#of(repositoryId, at);
    if (seen.has(id)) return;
    if (this.#size >= mostTests) this.#clear();
    this.#size += 1;
    this.#of(repositoryId, at).set(id, sk);
  }

  /**
   * Uses a map as the repository's cache, and adds the previously cached tests to it. Does so only if the
   * previous cache is much smaller and the total is not too large. If it returns false, the tests must be
   * added one by one.
   */
  adopt(repositoryId: number, at: number, numbers: Map<string, number>): boolean {
    const known = this.#of(repositoryId, at);
    if (known.size > numbers.size / 10 || this.#size + numbers.size > mostTests) return false;
    const before = known.size;
    for (const [id, sk] of known) numbers.set(id, sk);
    this.#size += numbers.size - before;
    this.#repositories.set(repositoryId, numbers);
    return true;
  }

  #of(repositoryId: number, at: number): Map<string, number> {
    const day = Math.floor(at / dayMs);
    if (day !== this.#day) this.#clear();
    this.#day = day;
    const known = this.#repositories.get(repositoryId) ?? new Map<string, number>();
    this.#repositories.set(repositoryId, known);
    return known;
  }

  #clear(): void {
    this.#repositories.clear();
    this.#size = 0;
  }
}
