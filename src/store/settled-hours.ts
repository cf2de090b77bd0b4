import { hour, minute } from "../flaky/detection/settings.ts";
import { addFailingHours } from "./failing-hours.ts";
import { NumberSet } from "./number-set.ts";
import type { Database } from "./schema.ts";

/** Another replica's clock may be behind: until then it still notes what fails in the hour before. */
const settledAfter = 5 * minute;
/** In the end all is forgotten. */
const keptFor = minute;

/**
 * Which tests failed in hours that are over. Those are noted no more, so that of the pages of a list, which ask for the same span one
 * after the other, only the first has to read them.
 */
export class SettledHours {
  readonly #db: Database;
  #last: { readonly key: string; readonly at: number; readonly numbers: NumberSet } | null = null;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Adds those of a span of hours; answers up to which hour they were over. */
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
