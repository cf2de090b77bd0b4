import type { CaseName, TestKey } from "./collect-runs.ts";
import { detached } from "./test-execution.ts";

/** A passed test whose number is known. */
export interface PassedTest {
  readonly id: string;
  readonly number: number;
  /** Null = unknown. */
  readonly durationMs: number | null;
}

/**
 * The number of consecutive numbers that share a map. A single map of all tests would block the event loop for tens of milliseconds
 * whenever it grows.
 */
const perMap = 4_096;

/**
 * Passed tests whose numbers are known. Only their numbers and durations are recorded. They are kept in columns, because an upload may have
 * 200,000 of them.
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

/** The parts of a name that tests of one suite share. */
export type SuiteName = Omit<CaseName, "name">;

/** A passed test whose number is unknown. */
export interface NewPass {
  readonly key: TestKey;
  /** Consecutive passes usually share one object. */
  readonly suite: SuiteName;
  /** Null = unknown. */
  readonly durationMs: number | null;
}

/** A pass of a test whose id has not been computed. */
export type UnidentifiedPass = Omit<NewPass, "key"> & Pick<TestKey, "name">;

/** The place of a test that is identified by its id. */
const identified = -1;

/**
 * Passed tests whose numbers are unknown. They are kept in columns: a job's first upload holds nothing else, and an object for each
 * of 200,000 tests is as much work for the garbage collector as reading them.
 *
 * The id of a test is computed only when its second case arrives, or when all tests are iterated: computing it takes as long as
 * reading the test.
 */
export class NewPasses {
  readonly #keyOf: (test: CaseName) => TestKey;
  /** By id, for tests whose ids are computed. */
  readonly #places = new Map<string, number>();
  readonly #names: string[] = [];
  readonly #keys: (TestKey | null)[] = [];
  /** Null: the pass was removed. */
  readonly #suites: (SuiteName | null)[] = [];
  readonly #durations: number[] = [];
  #size = 0;
  #unidentified = 0;

  constructor(keyOf: (test: CaseName) => TestKey) {
    this.#keyOf = keyOf;
  }

  /** The place of the next pass. */
  get next(): number {
    return this.#names.length;
  }

  get size(): number {
    return this.#size;
  }

  /** How many passes have no id yet. */
  get unidentified(): number {
    return this.#unidentified;
  }

  add(pass: NewPass): void {
    this.#places.set(pass.key.id, this.next);
    this.#add(pass, pass.key.name, pass.key);
  }

  /** @param places the places of the suite's tests, by name. */
  addUnidentified(places: Map<string, number>, pass: UnidentifiedPass): void {
    places.set(pass.name, this.next);
    this.#add(pass, pass.name, null);
    this.#unidentified += 1;
  }

  /** Identifies a test by its id from now on. */
  identify(places: Map<string, number>, name: string): void {
    const place = places.get(name);
    if (place === identified) return;
    places.set(detached(name), identified);
    if (place !== undefined) this.#identify(place);
  }

  placeOf(id: string): number | undefined {
    return this.#places.get(id);
  }

  /** Removes a pass and returns it. Null: there is none. */
  take(id: string): NewPass | null {
    const place = this.#places.get(id);
    if (place === undefined) return null;
    const pass = this.#at(place);
    this.#places.delete(id);
    this.#remove(place);
    return pass;
  }

  /** Removes all passes that have no id yet, and returns how many they were. The others get new places. */
  takeUnidentified(): number {
    const count = this.#unidentified;
    const others = [...this.#places.values()].flatMap((place) => this.#at(place) ?? []);
    this.clear();
    for (const pass of others) this.add(pass);
    return count;
  }

  clear(): void {
    this.#places.clear();
    for (const column of [this.#names, this.#keys, this.#suites, this.#durations]) column.length = 0;
    this.#size = 0;
    this.#unidentified = 0;
  }

  /** Computes missing ids. Yields two passes with the same id if different names have it. */
  *[Symbol.iterator](): Generator<NewPass> {
    for (let place = 0; place < this.#names.length; place += 1) {
      const pass = this.#at(place);
      if (pass) yield pass;
    }
  }

  #add({ suite, durationMs }: Omit<NewPass, "key">, name: string, key: TestKey | null): void {
    this.#names.push(name);
    this.#keys.push(key);
    this.#suites.push(suite);
    this.#durations.push(durationMs ?? Number.NaN);
    this.#size += 1;
  }

  #remove(place: number): void {
    this.#suites[place] = null;
    this.#keys[place] = null;
    this.#size -= 1;
  }

  #identify(place: number): void {
    const pass = this.#at(place);
    if (!pass) return;
    this.#unidentified -= 1;
    // Different names can have the same id if one of their parts contains the separator.
    if (this.#places.has(pass.key.id)) return this.#remove(place);
    this.#places.set(pass.key.id, place);
  }

  #at(place: number): NewPass | null {
    const [name, suite] = [this.#names[place], this.#suites[place]];
    if (name === undefined || !suite) return null;
    const durationMs = this.#durations[place] ?? Number.NaN;
    const key = this.#keys[place] ?? this.#keyOf({ ...suite, name });
    this.#keys[place] = key;
    return { key, suite, durationMs: Number.isNaN(durationMs) ? null : durationMs };
  }
}
