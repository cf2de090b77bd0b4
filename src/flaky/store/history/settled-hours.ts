import type { Database } from "../../../store/sqlite/schema.ts";
import { hour, minute } from "../../detection/settings.ts";
import { NumberSet } from "../packing/number-set.ts";
import { addFailingHours } from "./failing-hours.ts";

/**
 * Tolerance for clock differences: until then, another replica may still record failures in the previous
 * hour.
 */
const settledAfter = 5 * minute;
/** How long a result is cached. Failing hours are deleted eventually. */
const keptFor = minute;

/**
 * The tests that failed in hours that are over. Such hours no longer change, so the last result is cached:
 * the pages of a list request the same span one after the other, and only the first page reads it.
 */
export class SettledHours {
  readonly #db: Database;
  #last: { readonly key: string; readonly at: number; readonly numbers: NumberSet } | null = null;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Adds the tests of a span of hours. Returns the hour up to which they were settled and added. */
  async add(
    into: NumberSet,
    repositoryId: number,
    from: number,
    until: number,
    now: number,
  ): Promise<number> {
    const end = Math.min(until, Math.floor((now - settledAfter) / hour));
    if (from >= end) return from;
    const key = `${repositoryId} ${from} ${end}`;
    const last = this.#last;
    if (last?.key === key && now - last.at < keptFor) into.addAll(last.numbers);
    else {
      const numbers = new NumberSet();
      await addFailingHours(this.#db, numbers, { repositoryId, from, until: end });
      this.#last = { key, at: now, numbers };
      into.addAll(numbers);
    }
    return end;
  }
}
