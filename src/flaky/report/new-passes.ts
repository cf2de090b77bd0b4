import type { TestName } from "../identity.ts";
import type { TestRun } from "./test-run.ts";

/** What tests of one suite have in common. */
export type SuiteName = Omit<TestName, "name"> & Pick<TestRun, "givenId" | "variant">;

/** A test that no number is known of, and that passed. */
export interface NewPass {
  readonly key: { readonly id: string; readonly name: string };
  /** One object for neighbours, mostly. */
  readonly suite: SuiteName;
  /** Null = it is not said. */
  readonly durationMs: number | null;
}

/**
 * Tests of which no number is known, and no more to be said than their names and that they passed: in columns, since a job's first upload
 * has nothing else, and an object for each of two hundred thousand is as much work for the garbage collector as reading them.
 */
export class NewPasses {
  readonly #places = new Map<string, number>();
  readonly #keys: NewPass["key"][] = [];
  readonly #suites: SuiteName[] = [];
  readonly #durations: number[] = [];

  /** The place that the next one gets. */
  get next(): number {
    return this.#keys.length;
  }

  get size(): number {
    return this.#places.size;
  }

  add({ key, suite, durationMs }: NewPass): void {
    this.#places.set(key.id, this.next);
    this.#keys.push(key);
    this.#suites.push(suite);
    this.#durations.push(durationMs ?? Number.NaN);
  }

  placeOf(id: string): number | undefined {
    return this.#places.get(id);
  }

  /** Takes it out again. Null: it is not there. */
  take(id: string): NewPass | null {
    const place = this.#places.get(id);
    if (place === undefined) return null;
    this.#places.delete(id);
    return this.#at(place);
  }

  clear(): void {
    this.#places.clear();
    this.#keys.length = 0;
    this.#suites.length = 0;
    this.#durations.length = 0;
  }

  *[Symbol.iterator](): Generator<NewPass> {
    for (const place of this.#places.values()) {
      const pass = this.#at(place);
      if (pass) yield pass;
    }
  }

  #at(place: number): NewPass | null {
    const [key, suite] = [this.#keys[place], this.#suites[place]];
    if (!key || !suite) return null;
    const durationMs = this.#durations[place] ?? Number.NaN;
    return { key, suite, durationMs: Number.isNaN(durationMs) ? null : durationMs };
  }
}
