import { sql } from "kysely";
import type { Database, Tx } from "../../../store/sqlite/schema.ts";
import { hour, minute } from "../../detection/settings.ts";
import { NumberSet } from "../packing/number-set.ts";
import type { Place, TestList } from "../reads/test-records.ts";

/**
 * Records that tests have failed in an hour, in the one row of their repository and hour. The row must not
 * change between reading and writing it; SQLite permits only one writer at a time.
 */
export async function noteFailing(
  tx: Tx,
  repositoryId: number,
  at: number,
  sks: Iterable<number>,
): Promise<void> {
  const key = { repo_id: repositoryId, hour: Math.floor(at / hour) };
  const known = await tx
    .selectFrom("test_failing_hours")
    .select("tests")
    .where("repo_id", "=", key.repo_id)
    .where("hour", "=", key.hour)
    .executeTakeFirst();
  const failing = new NumberSet();
  if (known) failing.addPacked(known.tests);
  const before = failing.countAbove(-1);
  for (const sk of sks) failing.add(sk);
  if (failing.countAbove(-1) === before) return;
  const tests = failing.packed();
  await tx
    .insertInto("test_failing_hours")
    .values({ ...key, tests })
    .onConflict((row) => row.columns(["repo_id", "hour"]).doUpdateSet({ tests }))
    .execute();
}

/**
 * Adds the tests that failed from hour `from` (inclusive) until hour `until` (exclusive), counted since the
 * epoch.
 */
export async function addFailingHours(
  db: Database,
  into: NumberSet,
  { repositoryId, from, until }: { repositoryId: number; from: number; until: number },
): Promise<void> {
  const rows = await db
    .selectFrom("test_failing_hours")
    .select("tests")
    .where("repo_id", "=", repositoryId)
    .where("hour", ">=", from)
    .where("hour", "<", until)
    .execute();
  for (const { tests } of rows) into.addPacked(tests);
}

/** Deletes up to `limit` hours before one. Returns the number deleted. */
export async function forgetFailingHours(tx: Tx, before: number, limit: number): Promise<number> {
  const old = await tx
    .selectFrom("test_failing_hours")
    .select(["repo_id", "hour"])
    .where("hour", "<", before)
    .limit(limit)
    .execute();
  for (const { repo_id, hour: one } of old)
    await tx
      .deleteFrom("test_failing_hours")
      .where("repo_id", "=", repo_id)
      .where("hour", "=", one)
      .execute();
  return old.length;
}

/** Tolerance for clock differences, during which another replica may still record failures in the previous hour. */
const settledAfter = 5 * minute;
/** How long a result is cached. Failing hours are deleted eventually. */
const keptFor = minute;

/**
 * The tests that failed in hours that are over. Such hours no longer change, so the last result is cached: the pages of a list request the
 * same span one after another, and only the first request reads it.
 */
export class SettledHours {
  readonly #db: Database;
  #last: { readonly key: string; readonly at: number; readonly numbers: NumberSet } | null = null;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Adds the tests of a span of hours. Returns the hour up to which the hours were settled and added. */
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

  /** Cached, so that one request reads the same span and time only once. */
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
      // As one text, because a row for each failure would take three times as long.
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
