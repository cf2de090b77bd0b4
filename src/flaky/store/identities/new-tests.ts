import { setImmediate as nextRound } from "node:timers/promises";
import { inBatches } from "../../../engine/collections/in-batches.ts";
import type { Tx } from "../../../store/sqlite/schema.ts";
import { SqlStore } from "../../../store/sqlite/sql-store.ts";
import { IdOrder, TestPacker, unpackTests } from "../packing/packed-tests.ts";
import type { NamedTest } from "../uploads/upload-records.ts";
import { addTests, charactersOf } from "./test-cases.ts";
import { addIds } from "./test-ids.ts";
import { mostOfSuite } from "./test-suites.ts";

/** The number of tests inserted in one transaction. More would delay other writers. */
const insertedAtOnce = mostOfSuite;
const insertedCharacters = 1_000_000;
/**
 * The number of ids inserted in one transaction. In a large table, nearly each one changes a different page.
 */
const idsAtOnce = 1_000;
/** From this number of tests on, they are packed, and their rows are inserted later. */
export const packedFrom = 1_000;
/** The number of tests packed into one row. */
const packedAtOnce = 16_000;
const packedCharacters = 6_000_000;
/** The number of tests packed before other work runs. */
const lineOfTests = 1_000;

/** Tests to be added to a repository. */
export interface Addition {
  readonly repositoryId: number;
  /** Without duplicates. */
  readonly tests: Iterable<NamedTest>;
  /** An upper bound of their number, or `packedFrom` if there are many. */
  readonly count: number;
  readonly at: number;
  /** The last number in use when these tests were found to be unknown. */
  readonly last: number;
}

/** Packed tests, by id. */
type WaitingTests = ReadonlyMap<string, number>;

/**
 * Adds tests. Many tests at once get their numbers and are stored packed, in one row instead of thousands. Their own rows are inserted
 * afterwards. The packed row is deleted after the last of them, so that a crash loses no test.
 */
export class NewTests extends SqlStore {
  /** By the id of the packed row. */
  readonly #waiting = new Map<number, { readonly repositoryId: number; readonly tests: WaitingTests }>();
  #inserting: Promise<void> | null = null;

  /** The last number that was assigned to any test. Numbers are never reused. */
  async lastNumber(): Promise<number> {
    const { last } = await this.db.selectFrom("test_numbers").select("last").executeTakeFirstOrThrow();
    return last;
  }

  /** Tests of a repository whose rows are not inserted yet, in one or several maps. */
  async waiting(repositoryId: number): Promise<readonly WaitingTests[]> {
    const rows = await this.db.selectFrom("test_new_tests").select(["id", "repo_id"]).execute();
    const ids = new Set(rows.map(({ id }) => id));
    for (const id of this.#waiting.keys()) if (!ids.has(id)) this.#waiting.delete(id);
    for (const { id, repo_id } of rows) if (!this.#waiting.has(id)) await this.#load(id, repo_id);
    return [...this.#waiting.values()].flatMap((row) =>
      row.repositoryId === repositoryId ? [row.tests] : [],
    );
  }

  /** Whether any rows of the repository's tests are not inserted yet. */
  async isAnyWaiting(repositoryId: number): Promise<boolean> {
    const row = await this.db
      .selectFrom("test_new_tests")
      .select("id")
      .where("repo_id", "=", repositoryId)
      .limit(1)
      .executeTakeFirst();
    return row !== undefined;
  }

  async #load(id: number, repositoryId: number): Promise<void> {
    const row = await this.db
      .selectFrom("test_new_tests")
      .select(["first_sk", "tests"])
      .where("id", "=", id)
      .executeTakeFirst();
    const tests = new Map<string, number>();
    if (!row) return;
    let sk = row.first_sk;
    for await (const some of unpackTests(row.tests, `the new tests ${id}`))
      for (const test of some) tests.set(test.id, sk++);
    this.#waiting.set(id, { repositoryId, tests });
  }

  /**
   * Adds tests until all are added, or until another writer has added tests, which may be the same. Returns the last number that it
   * assigned. The tests get the numbers after `last`, in order.
   */
  async add(addition: Addition): Promise<number> {
    return addition.count >= packedFrom ? await this.#addPacked(addition) : await this.#addFew(addition);
  }

  async #addFew({ repositoryId, tests, at, last }: Addition): Promise<number> {
    let given = last;
    for (const some of inBatches(tests, insertedAtOnce, {
      most: insertedCharacters,
      of: charactersOf,
    })) {
      const first = given + 1;
      const isAdded = await this.#number(first, some.length, async (tx) => {
        await addTests(tx, { repositoryId, tests: some, at, first });
        await addIds(
          tx,
          repositoryId,
          some.map(({ id }, index) => ({ id, sk: first + index })),
        );
      });
      if (!isAdded) return given;
      given += some.length;
    }
    return given;
  }

  async #addPacked({ repositoryId, tests, at, last }: Addition): Promise<number> {
    const lines = inBatches(tests, lineOfTests, { most: insertedCharacters, of: charactersOf });
    const write = async (packer: TestPacker, first: number) => {
      const packed = await packer.packed();
      const row = { repo_id: repositoryId, first_sk: first, at, tests: packed };
      return await this.#number(first, packer.count, async (tx) => {
        await tx.insertInto("test_new_tests").values(row).execute();
      });
    };
    let given = last;
    let packer = await nextPacker(lines);
    while (packer.count > 0) {
      // The next tests are packed while the previous ones are compressed, in another thread, and written.
      const [isAdded, next]: [boolean, TestPacker] = await Promise.all([
        write(packer, given + 1),
        nextPacker(lines),
      ]);
      if (!isAdded) return given;
      given += packer.count;
      packer = next;
    }
    return given;
  }

  /** Adds `count` tests with the numbers from `first` on. Returns false when other tests were added meanwhile. */
  #number(first: number, count: number, add: (tx: Tx) => Promise<void>): Promise<boolean> {
    return this.writes.run(async (tx) => {
      const { numUpdatedRows } = await tx
        .updateTable("test_numbers")
        .set({ last: first + count - 1 })
        .where("last", "=", first - 1)
        .executeTakeFirst();
      if (numUpdatedRows === 0n) return false;
      await add(tx);
      return true;
    });
  }

  /** Inserts the rows of all packed tests. Can be interrupted at any point, and repeated. */
  insertAll(): Promise<void> {
    this.#inserting ??= this.#insertAll().finally(() => {
      this.#inserting = null;
    });
    return this.#inserting;
  }

  async #insertAll(): Promise<void> {
    for (;;) {
      const rows = await this.db
        .selectFrom("test_new_tests")
        .select(["id", "repo_id"])
        .orderBy("id")
        .execute();
      const [first] = rows;
      if (!first) return;
      const repositoryId = first.repo_id;
      await this.#insert(
        repositoryId,
        rows.filter((row) => row.repo_id === repositoryId).map(({ id }) => id),
      );
    }
  }

  /** Inserts the tests of some packed rows by number, and then all their ids in ascending order. */
  async #insert(repositoryId: number, packedRows: readonly number[]): Promise<void> {
    const ids = new IdOrder();
    for (const id of packedRows) await this.#insertRows(repositoryId, id, ids);
    for await (const some of ids.batches(idsAtOnce))
      await this.writes.run((tx) => addIds(tx, repositoryId, some));
    for (const id of packedRows)
      await this.writes.run((tx) => tx.deleteFrom("test_new_tests").where("id", "=", id).execute());
  }

  async #insertRows(repositoryId: number, id: number, ids: IdOrder): Promise<void> {
    const row = await this.db
      .selectFrom("test_new_tests")
      .select(["first_sk", "at", "tests"])
      .where("id", "=", id)
      .executeTakeFirst();
    // Another process has inserted them.
    if (!row) return;
    const { at } = row;
    let first = row.first_sk;
    for await (const unpacked of unpackTests(row.tests, `the new tests ${id}`))
      for (const tests of inBatches(unpacked, insertedAtOnce, {
        most: insertedCharacters,
        of: charactersOf,
      })) {
        const from = first;
        await this.writes.run((tx) => addTests(tx, { repositoryId, tests, at, first: from }));
        for (const test of tests) ids.add({ id: test.id, sk: first++ });
      }
  }
}

/** Takes as many of the next tests as fit into a row; returns an empty packer when there are none. */
async function nextPacker(lines: Generator<readonly NamedTest[]>): Promise<TestPacker> {
  const packer = new TestPacker();
  while (packer.count < packedAtOnce && packer.characters < packedCharacters) {
    const { value: tests, done } = lines.next();
    if (done) break;
    packer.add(tests);
    await nextRound();
  }
  return packer;
}
