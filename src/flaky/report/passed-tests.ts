/** A passed test whose number is known. */
export interface PassedTest {
  readonly id: string;
  readonly number: number;
  /** Null = unknown. */
  readonly durationMs: number | null;
}

/**
 * How many consecutive numbers share a map. A single map of all tests would block the event loop for tens of milliseconds whenever
 * it grows.
 */
const perMap = 4_096;

/**
 * Passed tests whose numbers are known. Nothing else is recorded of them. They are kept in columns: most tests are of this kind,
 * and an upload may have 200,000.
 */
export class PassedTests {
  /** By number: one map for each {@link perMap} consecutive numbers. */
  readonly #places = new Map<number, Map<number, number>>();
  /** Null: the test was removed. */
  readonly #ids: (string | null)[] = [];
  readonly #numbers: number[] = [];
  readonly #durations: number[] = [];
  #size = 0;

  /** The place of the next test. */
  get next(): number {
    return this.#ids.length;
  }

  get size(): number {
    return this.#size;
  }

  add({ id, number, durationMs }: PassedTest): void {
    const part = Math.floor(number / perMap);
    const places = this.#places.get(part);
    if (places) places.set(number, this.next);
    else this.#places.set(part, new Map([[number, this.next]]));
    this.#ids.push(id);
    this.#numbers.push(number);
    this.#durations.push(durationMs ?? Number.NaN);
    this.#size += 1;
  }

  placeOf(number: number): number | undefined {
    return this.#places.get(Math.floor(number / perMap))?.get(number);
  }

  /** Removes a test and returns it. Null: there is none. */
  take(number: number): PassedTest | null {
    const place = this.placeOf(number);
    const test = place === undefined ? null : this.#at(place);
    if (place === undefined || !test) return null;
    this.#places.get(Math.floor(number / perMap))?.delete(number);
    this.#ids[place] = null;
    this.#size -= 1;
    return test;
  }

  *[Symbol.iterator](): Generator<PassedTest> {
    for (let place = 0; place < this.next; place += 1) {
      const test = this.#at(place);
      if (test) yield test;
    }
  }

  #at(place: number): PassedTest | null {
    const [id, number] = [this.#ids[place], this.#numbers[place]];
    if (id === undefined || id === null || number === undefined) return null;
    const durationMs = this.#durations[place] ?? Number.NaN;
    return { id, number, durationMs: Number.isNaN(durationMs) ? null : durationMs };
  }
}
