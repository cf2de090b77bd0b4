/** A test that is known by a number, and passed. */
export interface PassedTest {
  readonly id: string;
  readonly number: number;
  /** Null = it is not said. */
  readonly durationMs: number | null;
}

/** Numbers that share a map. One map of all tests would hold the event loop for tens of milliseconds whenever it grows. */
const perMap = 4_096;

/**
 * Tests of which it is known what they are, and no more to be said than that they passed: in columns, since most tests are of these
 * and an upload may have two hundred thousand.
 */
export class PassedTests {
  /** By number, in maps of {@link perMap}. */
  readonly #places = new Map<number, Map<number, number>>();
  /** Null: it was taken out. */
  readonly #ids: (string | null)[] = [];
  readonly #numbers: number[] = [];
  readonly #durations: number[] = [];
  #size = 0;

  /** The place that the next one gets. */
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

  /** Takes it out again. Null: it is not there. */
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
