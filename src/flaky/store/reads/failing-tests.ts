import { sql } from "kysely";
import type { Database } from "../../../store/sqlite/schema.ts";
import { hour } from "../../detection/settings.ts";
import { addFailingHours } from "../history/failing-hours.ts";
import { SettledHours } from "../history/settled-hours.ts";
import { NumberSet } from "../packing/number-set.ts";
import type { Place, TestList } from "./stored-test-reads.ts";

type Span = Extract<TestList, { kind: "failing" }>;

/**
 * The numbers of the tests that failed in a span. A week may contain half a million failures, and no index
 * groups them by test. Whole hours are therefore read from the stored sets, and only the partial hours at the
 * start and the end from the failures.
 */
export class FailingTests {
  readonly #db: Database;
  readonly #settled: SettledHours;
  #last: { readonly key: string; readonly numbers: Promise<NumberSet> } | null = null;

  constructor(db: Database) {
    this.#db = db;
    this.#settled = new SettledHours(db);
  }

  /** Cached, so that one request with the same span and time reads it once. */
  numbers(repoId: number, { from, until }: Span, now: number): Promise<NumberSet> {
    const key = JSON.stringify([repoId, from, until, now]);
    if (this.#last?.key !== key) this.#last = { key, numbers: this.#collect(repoId, from, until, now) };
    return this.#last.numbers;
  }

  async #collect(repositoryId: number, from: number, until: number, now: number): Promise<NumberSet> {
    const found = new NumberSet();
    const [begins, ends] = [Math.ceil(from / hour), Math.floor(until / hour)];
    if (begins >= ends) await this.#addFailures(found, repositoryId, from, until);
    else {
      await this.#addFailures(found, repositoryId, from, begins * hour);
      const unsettled = await this.#settled.add(found, repositoryId, begins, ends, now);
      await addFailingHours(this.#db, found, { repositoryId, from: unsettled, until: ends });
      await this.#addFailures(found, repositoryId, ends * hour, until);
    }
    return found;
  }

  async #addFailures(into: NumberSet, repositoryId: number, from: number, until: number): Promise<void> {
    if (from >= until) return;
    const row = await this.#db
      .selectFrom("test_failures")
      // As one text: a row for each failure would take three times as long.
      .select(sql<string | null>`string_agg(cast(test_sk as text), ',')`.as("numbers"))
      .where("repo_id", "=", repositoryId)
      .where("at", ">=", from)
      .where("at", "<", until)
      .where("is_suspect", "=", 0)
      .executeTakeFirst();
    for (const number of row?.numbers?.split(",") ?? []) into.add(Number(number));
  }
}

/**
 * Up to `limit` numbers after a place, or before it with the nearest first. The list is in descending order.
 */
export function numbersFrom(
  numbers: NumberSet,
  direction: "after" | "before",
  place: Place | null,
  limit: number,
): readonly number[] {
  return direction === "after"
    ? numbers.below(place?.key ?? Number.POSITIVE_INFINITY, limit)
    : numbers.above(place?.key ?? -1, limit);
}
