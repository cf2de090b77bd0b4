import { setImmediate as nextRound } from "node:timers/promises";
import { inBatches } from "../engine/collections/in-batches.ts";
import type { NamedTest } from "../ports/test-result-store.ts";
import type { Writes } from "./group-commit.ts";
import { inChunks } from "./in-chunks.ts";
import { type NewTests, packedFrom } from "./new-tests.ts";
import type { Database } from "./schema.ts";
import { idOf, storedId } from "./stored-id.ts";
import { dayOf } from "./test-cases.ts";

/** Tests that are looked for before other work gets its turn. */
const atATime = 2_000;

/** The tests of a repository of which an upload told only those that failed, mostly. */
const mostOfFew = 1_000;

/** Which tests are known, and by what numbers. */
export class KnownTests {
  readonly #db: Database;
  readonly #writes: Writes;
  readonly #new: NewTests;

  constructor(db: Database, writes: Writes, newTests: NewTests) {
    this.#db = db;
    this.#writes = writes;
    this.#new = newTests;
  }

  /**
   * Adds those tests that are not known, notes that the others were seen today, and returns the numbers of all.
   *
   * @param tests gone through several times.
   */
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
      // Others were adding tests, which may be the same.
      for (const [id, number] of numbers) if (number > given) numbers.delete(id);
    }
  }

  /** The ids of a repository's tests, if they are few: then many others need not be looked for one by one. */
  async #few(repositoryId: number): Promise<ReadonlySet<string> | null> {
    // Before the rows: what is inserted meanwhile is found in one place or the other.
    if (await this.#new.isAnyWaiting(repositoryId)) return null;
    const rows = await this.#db
      .selectFrom("test_ids")
      .select("id")
      .where("repo_id", "=", repositoryId)
      .limit(mostOfFew + 1)
      .execute();
    return rows.length > mostOfFew ? null : new Set(rows.map(({ id }) => idOf(id)));
  }

  /** The numbers of those tests that are known. */
  async numbersOf(repositoryId: number, ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const numbers = new Map<string, number>();
    await this.#find(repositoryId, ids, null, numbers);
    return numbers;
  }

  /** Adds the numbers of those tests that are known and not among them. Returns how many of all tests have none then, at most. */
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

  /** @param today notes those that were last seen before it. */
  async #find(
    repositoryId: number,
    ids: readonly string[],
    today: number | null,
    numbers: Map<string, number>,
  ): Promise<void> {
    // Before the rows: what is inserted meanwhile is found in one place or the other.
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
      // The texts that were asked for: others keep them anyway.
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

/** The tests that have no number yet, each once. They get the numbers after `last`, which is the last one given in the end. */
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
