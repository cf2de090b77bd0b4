import { hour } from "../flaky/detection/settings.ts";
import type { Place, TestList } from "../ports/test-reads.ts";
import { addFailingHours } from "./failing-hours.ts";
import { NumberSet } from "./number-set.ts";
import type { Database } from "./schema.ts";

type Span = Extract<TestList, { kind: "failing" }>;

/**
 * The tests that failed in a span, by their numbers. A week may hold half a million failures, which no index tells apart by test: whole
 * hours are read as they are noted, and only of those that the span begins and ends in the failures themselves.
 */
export class FailingTests {
  readonly #db: Database;
  #last: { readonly key: string; readonly numbers: Promise<Int32Array> } | null = null;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Descending. What one request asks at one time is gone through once. */
  numbers(repoId: number, { from, until }: Span, now: number): Promise<Int32Array> {
    const key = JSON.stringify([repoId, from, until, now]);
    if (this.#last?.key !== key) this.#last = { key, numbers: this.#collect(repoId, from, until) };
    return this.#last.numbers;
  }

  async #collect(repositoryId: number, from: number, until: number): Promise<Int32Array> {
    const found = new NumberSet();
    const [begins, ends] = [Math.ceil(from / hour), Math.floor(until / hour)];
    if (begins >= ends) await this.#addFailures(found, repositoryId, from, until);
    else {
      await this.#addFailures(found, repositoryId, from, begins * hour);
      await addFailingHours(this.#db, found, { repositoryId, from: begins, until: ends });
      await this.#addFailures(found, repositoryId, ends * hour, until);
    }
    return found.descending();
  }

  async #addFailures(into: NumberSet, repositoryId: number, from: number, until: number): Promise<void> {
    if (from >= until) return;
    const rows = await this.#db
      .selectFrom("test_failures")
      .select("test_sk")
      .distinct()
      .where("repo_id", "=", repositoryId)
      .where("at", ">=", from)
      .where("at", "<", until)
      .where("is_suspect", "=", 0)
      .execute();
    for (const { test_sk: sk } of rows) into.add(sk);
  }
}

/** Up to `limit` of descending numbers after a place, or before it and then the nearest first. */
export function numbersFrom(
  numbers: Int32Array,
  direction: "after" | "before",
  place: Place | null,
  limit: number,
): readonly number[] {
  if (direction === "after") {
    const begin = place ? countAbove(numbers, place.key - 1) : 0;
    return [...numbers.subarray(begin, begin + limit)];
  }
  const end = place ? countAbove(numbers, place.key) : numbers.length;
  return [...numbers.subarray(Math.max(0, end - limit), end)].reverse();
}

/** How many of descending numbers are greater than one. */
export function countAbove(numbers: Int32Array, key: number): number {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((numbers[middle] ?? 0) > key) low = middle + 1;
    else high = middle;
  }
  return low;
}
