import { setImmediate as nextRound } from "node:timers/promises";
import { inBatches } from "../../../engine/collections/in-batches.ts";
import { inChunks } from "../../../store/queries/in-chunks.ts";
import type { Writes } from "../../../store/sqlite/group-commit.ts";
import type { Database } from "../../../store/sqlite/schema.ts";
import type { NamedTest } from "../uploads/upload-records.ts";
import { type NewTests, packedFrom } from "./new-tests.ts";
import { charactersOf, dayOf, namedTests } from "./test-cases.ts";
import { idOf, storedId } from "./test-ids.ts";

/** The number of tests to look up before other work runs. */
const atATime = 2_000;

/**
 * The maximum number of known tests for which all ids are read at once. Usually these are the failed tests of
 * an upload whose other tests are added later.
 */
const mostOfFew = 1_000;

/** The maximum number of characters of the names and ids that are cached: about 20,000 tests. */
const mostCharacters = 3_000_000;
const charactersOfId = 36;

export type NumberedTest = NamedTest & { readonly sk: number };

/** Looks up and adds tests and their numbers. */
export class KnownTests {
  readonly #db: Database;
  readonly #writes: Writes;
  readonly #new: NewTests;
  /** Names never change, so they cannot be out of date. */
  #named = new Map<number, NumberedTest>();
  #characters = 0;

  constructor(db: Database, writes: Writes, newTests: NewTests) {
    this.#db = db;
    this.#writes = writes;
    this.#new = newTests;
  }

  /** Adds unknown tests, records that the others were seen today, and returns the numbers of all. @param tests iterated several times */
  async know(repositoryId: number, tests: Iterable<NamedTest>, at: number): Promise<Map<string, number>> {
    const numbers = new Map<string, number>();
    for (;;) {
      const last = await this.#new.lastNumber();
      const few = countUpTo(packedFrom, tests) < packedFrom ? null : await this.#few(repositoryId);
      const sought = few ? await withIds(tests, few) : tests;
      const unknown = await this.#findAll(repositoryId, sought, dayOf(at), numbers);
      const count = few ? packedFrom : unknown;
      const numbering = { numbers, last };
      const added = numbered(tests, numbering);
      const given = await this.#new.add({ repositoryId, tests: added, count, at, last });
      if (given === numbering.last) return numbers;
      // Other writers added tests meanwhile, maybe the same ones.
      for (const [id, number] of numbers) if (number > given) numbers.delete(id);
    }
  }

  /** The ids of a repository's tests, if they are few. Then the other ids need not be looked up one by one. */
  async #few(repositoryId: number): Promise<ReadonlySet<string> | null> {
    // Must come before reading the rows, so that a test inserted meanwhile is found in one of the two places.
    if (await this.#new.isAnyWaiting(repositoryId)) return null;
    const rows = await this.#db
      .selectFrom("test_ids")
      .select("id")
      .where("repo_id", "=", repositoryId)
      .limit(mostOfFew + 1)
      .execute();
    return rows.length > mostOfFew ? null : new Set(rows.map(({ id }) => idOf(id)));
  }

  /** The numbers of the known tests. */
  async numbersOf(repositoryId: number, ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const numbers = new Map<string, number>();
    await this.#find(repositoryId, ids, null, numbers);
    return numbers;
  }

  /** The tests with these numbers, in the same order. Deleted ones may be left out. */
  async withNumbers(repositoryId: number, sks: readonly number[]): Promise<readonly NumberedTest[]> {
    const cached = this.#named;
    const others = sks.filter((sk) => !cached.has(sk));
    if (others.length > 0 && (await this.#new.isAnyWaiting(repositoryId))) await this.#new.insertAll();
    for (const some of inBatches(others, atATime)) {
      for (const [sk, test] of await namedTests(this.#db, some)) {
        cached.set(sk, test);
        this.#characters += charactersOf(test) + charactersOfId;
      }
      await nextRound();
    }
    if (this.#characters > mostCharacters) [this.#named, this.#characters] = [new Map(), 0];
    return sks.flatMap((sk) => cached.get(sk) ?? []);
  }

  /**
   * Adds the numbers of known tests to `numbers`. Returns an upper bound of the number of tests that still
   * have none.
   */
  async #findAll(
    repositoryId: number,
    tests: Iterable<NamedTest>,
    today: number,
    numbers: Map<string, number>,
  ): Promise<number> {
    let unknown = 0;
    for (const some of inBatches(tests, atATime)) {
      const ids = some.map(({ id }) => id).filter((id) => !numbers.has(id));
      const before = numbers.size;
      await this.#find(repositoryId, ids, today, numbers);
      unknown += ids.length - (numbers.size - before);
      if (some.length === atATime) await nextRound();
    }
    return unknown;
  }

  /** @param today marks tests that were last seen before this time as seen; null marks none. */
  async #find(
    repositoryId: number,
    ids: readonly string[],
    today: number | null,
    numbers: Map<string, number>,
  ): Promise<void> {
    // Must come before reading the rows, so that a test inserted meanwhile is found in one of the two places.
    const waiting = await this.#new.waiting(repositoryId);
    const unseen: number[] = [];
    for (const tests of waiting)
      for (const id of ids) {
        const sk = tests.get(id);
        if (sk !== undefined) numbers.set(id, sk);
      }
    const others = (await this.#hasRows(repositoryId)) ? ids.filter((id) => !numbers.has(id)) : [];
    for (const chunk of inChunks(others)) {
      const rows = await this.#db
        .selectFrom("test_ids")
        .innerJoin("test_cases", "test_cases.sk", "test_ids.test_sk")
        .select(["test_ids.id", "sk", "last_seen_at"])
        .where("test_ids.repo_id", "=", repositoryId)
        .where("test_ids.id", "in", chunk.map(storedId))
        .execute();
      // Uses the caller's string objects, which stay in memory anyway.
      const asked = new Map(chunk.map((id) => [id, id]));
      for (const { id: stored, sk, last_seen_at } of rows) {
        const id = idOf(stored);
        numbers.set(asked.get(id) ?? id, sk);
        if (today !== null && last_seen_at < today) unseen.push(sk);
      }
    }
    for (const chunk of inChunks(unseen))
      await this.#writes.run((tx) =>
        tx
          .updateTable("test_cases")
          .set({ last_seen_at: today ?? 0 })
          .where("sk", "in", chunk)
          .execute(),
      );
  }

  async #hasRows(repositoryId: number): Promise<boolean> {
    const row = await this.#db
      .selectFrom("test_ids")
      .select("test_sk")
      .where("repo_id", "=", repositoryId)
      .limit(1)
      .executeTakeFirst();
    return row !== undefined;
  }
}

async function withIds(tests: Iterable<NamedTest>, ids: ReadonlySet<string>): Promise<NamedTest[]> {
  const found: NamedTest[] = [];
  for (const some of inBatches(tests, atATime)) {
    found.push(...some.filter(({ id }) => ids.has(id)));
    await nextRound();
  }
  return found;
}

function countUpTo(most: number, items: Iterable<unknown>): number {
  let count = 0;
  for (const _ of items) {
    count += 1;
    if (count === most) break;
  }
  return count;
}

/** Yields each test without a number once, and numbers these tests from `last` + 1. At the end, `last` is the last number assigned. */
function* numbered(
  tests: Iterable<NamedTest>,
  numbering: { readonly numbers: Map<string, number>; last: number },
): Generator<NamedTest> {
  for (const test of tests) {
    if (numbering.numbers.has(test.id)) continue;
    numbering.last += 1;
    numbering.numbers.set(test.id, numbering.last);
    yield test;
  }
}

const dayMs = 86_400_000;
/** The maximum number of cached tests: as many as one upload may have, some hundred bytes each. */
const mostTests = 200_000;

/**
 * Caches the numbers of tests that were seen today, by id, so that they need not be looked up for each
 * upload. A test that was seen today is not deleted before tomorrow, by any replica. Tests seen yesterday
 * must be looked up again.
 */
export class SeenTests {
  readonly #repositories = new Map<number, Map<string, number>>();
  #day = 0;
  #size = 0;

  /** The cached tests of one repository. */
  today(repositoryId: number, at: number): ReadonlyMap<string, number> {
    return this.#of(repositoryId, at);
  }

  add(repositoryId: number, at: number, id: string, sk: number): void {
    const seen = this.#of(repositoryId, at);
    if (seen.has(id)) return;
    if (this.#size >= mostTests) this.#clear();
    this.#size += 1;
    this.#of(repositoryId, at).set(id, sk);
  }

  /**
   * Uses a map as the repository's cache, and adds the previously cached tests to it. Does so only if the previous cache is much smaller
   * and the total is not too large. If the result is false, the tests must be added one by one.
   */
  adopt(repositoryId: number, at: number, numbers: Map<string, number>): boolean {
    const known = this.#of(repositoryId, at);
    if (known.size > numbers.size / 10 || this.#size + numbers.size > mostTests) return false;
    const before = known.size;
    for (const [id, sk] of known) numbers.set(id, sk);
    this.#size += numbers.size - before;
    this.#repositories.set(repositoryId, numbers);
    return true;
  }

  #of(repositoryId: number, at: number): Map<string, number> {
    const day = Math.floor(at / dayMs);
    if (day !== this.#day) this.#clear();
    this.#day = day;
    const known = this.#repositories.get(repositoryId) ?? new Map<string, number>();
    this.#repositories.set(repositoryId, known);
    return known;
  }

  #clear(): void {
    this.#repositories.clear();
    this.#size = 0;
  }
}
