/**
 * Tests of which it is known what they are, and no more to be said than that they passed: in columns, since most tests are of these
 * and an upload may have half a million.
 */
export class PassedTests {
  readonly #slots = new Map<string, number>();
  readonly #durations: number[] = [];

  /** The number that the next one gets. */
  get next(): number {
    return this.#durations.length;
  }

  get size(): number {
    return this.#slots.size;
  }

  /** Milliseconds; null = it is not said. */
  add(id: string, durationMs: number | null): void {
    this.#slots.set(id, this.next);
    this.#durations.push(durationMs ?? Number.NaN);
  }

  numberOf(id: string): number | null {
    return this.#slots.get(id) ?? null;
  }

  /** Takes it out again; answers its milliseconds. */
  take(id: string): number | null {
    const durationMs = this.#durationAt(this.#slots.get(id) ?? -1);
    this.#slots.delete(id);
    return durationMs;
  }

  *[Symbol.iterator](): Generator<{ readonly id: string; readonly durationMs: number | null }> {
    for (const [id, slot] of this.#slots) yield { id, durationMs: this.#durationAt(slot) };
  }

  #durationAt(slot: number): number | null {
    const durationMs = this.#durations[slot] ?? Number.NaN;
    return Number.isNaN(durationMs) ? null : durationMs;
  }
}
