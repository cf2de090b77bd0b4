import { setImmediate as nextRound } from "node:timers/promises";
import type { NamedTest, TestNumbers } from "../ports/test-result-store.ts";
import type { Writes } from "./group-commit.ts";
import { inChunks } from "./in-chunks.ts";
import type { NewTests } from "./new-tests.ts";
import type { Database } from "./schema.ts";
import { dayOf } from "./test-cases.ts";

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

  /** Adds those tests that are not known, notes that the others were seen today, and returns the numbers of all. */
  async know(repositoryId: number, tests: readonly NamedTest[], at: number): Promise<TestNumbers> {
    const numbers = new Map<string, number>();
    for (let unknown = tests; unknown.length > 0; ) {
      const last = await this.#new.lastNumber();
      for (const one of await this.#find(repositoryId, idsOf(unknown), dayOf(at))) numbers.set(...one);
      unknown = without(unknown, numbers);
      await nextRound();
      const added = await this.#add({ repositoryId, tests: unknown, at, last });
      await nextRound();
      for (const one of added) numbers.set(...one);
      unknown = without(unknown, numbers);
      await nextRound();
    }
    return numbers;
  }

  /** The numbers of those tests that are known. */
  async numbersOf(repositoryId: number, ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
    return await this.#find(repositoryId, ids, null);
  }

  /** @param today notes those that were last seen before it. */
  async #find(
    repositoryId: number,
    ids: readonly string[],
    today: number | null,
  ): Promise<ReadonlyMap<string, number>> {
    // Before the rows: what is inserted meanwhile is found in one place or the other.
    const waiting = await this.#new.waiting(repositoryId);
    const numbers = new Map<string, number>();
    const unseen: number[] = [];
    for (const tests of waiting) {
      for (const id of ids) {
        const sk = tests.get(id);
        if (sk !== undefined) numbers.set(id, sk);
      }
      await nextRound();
    }
    const others = (await this.#hasRows(repositoryId)) ? ids.filter((id) => !numbers.has(id)) : [];
    for (const chunk of inChunks(others)) {
      const rows = await this.#db
        .selectFrom("test_ids")
        .innerJoin("test_cases", "test_cases.sk", "test_ids.test_sk")
        .select(["test_ids.id", "sk", "last_seen_at"])
        .where("test_ids.repo_id", "=", repositoryId)
        .where("test_ids.id", "in", chunk)
        .execute();
      for (const { id, sk, last_seen_at } of rows) {
        numbers.set(id, sk);
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
    return numbers;
  }

  /** A repository's first upload need not look for each of its tests. */
  async #hasRows(repositoryId: number): Promise<boolean> {
    const row = await this.#db
      .selectFrom("test_ids")
      .select("test_sk")
      .where("repo_id", "=", repositoryId)
      .limit(1)
      .executeTakeFirst();
    return row !== undefined;
  }

  /** Adds as many as it can: others may be adding the same. */
  async #add(addition: Parameters<NewTests["add"]>[0]): Promise<ReadonlyMap<string, number>> {
    const numbers = new Map<string, number>();
    let { last } = addition;
    for (let { tests } = addition; tests.length > 0; ) {
      const added = await this.#new.add({ ...addition, tests, last });
      if (!added) break;
      for (const [id, sk] of added) numbers.set(id, sk);
      last += added.size;
      tests = tests.slice(added.size);
    }
    return numbers;
  }
}

function idsOf(tests: readonly NamedTest[]): readonly string[] {
  return tests.map(({ id }) => id);
}

/** The tests that have no number yet, each once. */
function without(tests: readonly NamedTest[], numbers: ReadonlyMap<string, number>): readonly NamedTest[] {
  const unknown = new Map<string, NamedTest>();
  for (const test of tests) if (!numbers.has(test.id)) unknown.set(test.id, test);
  return [...unknown.values()];
}
