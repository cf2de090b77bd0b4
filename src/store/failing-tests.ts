import { setImmediate } from "node:timers/promises";
import { hour } from "../flaky/detection/settings.ts";
import type { Place, TestList } from "../ports/test-reads.ts";
import type { Database } from "./schema.ts";

type Span = Extract<TestList, { kind: "failing" }>;

/**
 * The tests that failed in a span, by their numbers. A week may hold half a million failures of few tests, which no index tells apart
 * by test: they are gone through hour by hour, and between two hours others have their turn.
 */
export class FailingTests {
  readonly #db: Database;
  #last: { readonly key: string; readonly numbers: Promise<readonly number[]> } | null = null;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Descending. What one request asks at one time is gone through once. */
  numbers(repoId: number, { from, until }: Span, now: number): Promise<readonly number[]> {
    const key = JSON.stringify([repoId, from, until, now]);
    if (this.#last?.key !== key) this.#last = { key, numbers: this.#collect(repoId, from, until) };
    return this.#last.numbers;
  }

  async #collect(repoId: number, from: number, until: number): Promise<readonly number[]> {
    const found = new Set<number>();
    for (let begins = from; begins < until; begins += hour) {
      const rows = await this.#db
        .selectFrom("test_failures")
        .select("test_sk")
        .distinct()
        .where("repo_id", "=", repoId)
        .where("at", ">=", begins)
        .where("at", "<", Math.min(begins + hour, until))
        .where("is_suspect", "=", 0)
        .execute();
      for (const { test_sk: sk } of rows) found.add(sk);
      await setImmediate();
    }
    return [...found].sort((a, b) => b - a);
  }
}

/** Up to `limit` of descending numbers after a place, or before it and then the nearest first. */
export function numbersFrom(
  numbers: readonly number[],
  direction: "after" | "before",
  place: Place | null,
  limit: number,
): readonly number[] {
  if (direction === "after") {
    const begin = place ? countAbove(numbers, place.key - 1) : 0;
    return numbers.slice(begin, begin + limit);
  }
  const end = place ? countAbove(numbers, place.key) : numbers.length;
  return numbers.slice(Math.max(0, end - limit), end).toReversed();
}

/** How many of descending numbers are greater than one. */
export function countAbove(numbers: readonly number[], key: number): number {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((numbers[middle] ?? 0) > key) low = middle + 1;
    else high = middle;
  }
  return low;
}
