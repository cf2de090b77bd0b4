/** A test that is known by a number, and passed. */
export interface PassedTest {
  readonly id: string;
  readonly number: number;
  /** Null = it is not said. */
  readonly durationMs: number | null;
}

/**
 * Tests of which it is known what they are, and no more to be said than that they passed: in columns, since most tests are of these
 * and an upload may have two hundred thousand.
 */
export class PassedTests {
  readonly #places = new Map<number, number>();
  readonly #ids: string[] = [];
  readonly #numbers: number[] = [];
  readonly #durations: number[] = [];

  /** The place that the next one gets. */
  get next(): number {
    return this.#ids.length;
  }

  get size(): number {
    return this.#places.size;
  }

  add({ id, number, durationMs }: PassedTest): void {
    this.#places.set(number, this.next);
    this.#ids.push(id);
    this.#numbers.push(number);
    this.#durations.push(durationMs ?? Number.NaN);
  }

  placeOf(number: number): number | undefined {
    return this.#places.get(number);
  }

  /** Takes it out again. Null: it is not there. */
  take(number: number): PassedTest | null {
    const place = this.#places.get(number);
    if (place === undefined) return null;
    this.#places.delete(number);
    return this.#at(place);
  }

  *[Symbol.iterator](): Generator<PassedTest> {
    for (const place of this.#places.values()) yield this.#at(place);
  }

  #at(place: number): PassedTest {
    const number = this.#numbers[place] ?? Number.NaN;
    const durationMs = this.#durations[place] ?? Number.NaN;
    return { id: this.#ids[place] ?? "", number, durationMs: Number.isNaN(durationMs) ? null : durationMs };
  }
}
