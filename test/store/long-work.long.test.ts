import { DatabaseSync } from "node:sqlite";
import { setImmediate, setTimeout } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it, test } from "@jest/globals";
import { sql } from "kysely";
import { defaultDetectionSettings } from "../../src/flaky/detection/settings.ts";
import { evaluateUploads } from "../../src/flaky/service/evaluation/evaluate-uploads.ts";
import { UploadRenames } from "../../src/flaky/service/evaluation/upload-renames.ts";
import { KnownTests } from "../../src/flaky/store/identities/known-tests.ts";
import { NewTests } from "../../src/flaky/store/identities/new-tests.ts";
import { connectSqlite } from "../../src/store/sqlite/connect-sqlite.ts";
import { GroupCommit, type Writes } from "../../src/store/sqlite/group-commit.ts";
import { migrate } from "../../src/store/sqlite/migrate.ts";
import type { Store } from "../../src/store/sqlite/open-store.ts";
import type { Database, Schema } from "../../src/store/sqlite/schema.ts";
import { buildNamedTest, buildResult, buildTestUpload, testRepo } from "../contract/build-test-upload.ts";
import { createSqliteFile, type SqliteFile } from "./sqlite-file.ts";

let file: SqliteFile;
beforeEach(async () => {
  file = await createSqliteFile();
});
afterEach(() => file.remove());

/** Returns the number of event loop rounds while `work` runs. */
async function roundsDuring(work: () => Promise<unknown>): Promise<number> {
  let rounds = 0;
  let isOver = false;
  const count = () => {
    rounds += 1;
    if (!isOver) globalThis.setImmediate(count);
  };
  globalThis.setImmediate(count);
  await work().finally(() => {
    isOver = true;
  });
  return rounds;
}

/** Blocks the event loop, as a long statement does. */
function holdLoop(): void {
  const end = performance.now() + 15;
  while (performance.now() < end);
}

describe("the event loop is not blocked", () => {
  const names = Array.from({ length: 20 }, (_, index) => `name ${index}`);
  let db: Database;
  beforeEach(async () => {
    db = connectSqlite<Schema>(file.path);
    await migrate(db);
  });
  afterEach(() => db.destroy());

  const stored = async () => (await db.selectFrom("cursors").select("name").execute()).length;
  const put = (writes: GroupCommit) =>
    writes.run(async (tx) => {
      for (const name of names) {
        await tx.insertInto("cursors").values({ name, value: "" }).execute();
        holdLoop();
      }
    });

  it("while a transaction takes long, and readers see all of it or nothing", async () => {
    const writes = new GroupCommit(db);
    const seen: Promise<number>[] = [];
    const looking = setInterval(() => seen.push(stored()), 1);
    try {
      expect(await roundsDuring(() => put(writes))).toBeGreaterThanOrEqual(names.length);
    } finally {
      clearInterval(looking);
    }
    expect(seen.length).toBeGreaterThan(0);
    for (const count of await Promise.all(seen)) expect([0, names.length]).toContain(count);
  });

  it("while many writes share a transaction", async () => {
    const writes = new GroupCommit(db);
    const one = (name: string) =>
      writes.run(async (tx) => {
        await tx.insertInto("cursors").values({ name, value: "" }).execute();
        holdLoop();
      });
    expect(await roundsDuring(() => Promise.all(names.map(one)))).toBeGreaterThanOrEqual(names.length);
    expect(await stored()).toBe(names.length);
  });

  it("while many reads run one after the other", async () => {
    const reading = async () => {
      for (const _ of names) {
        await stored();
        holdLoop();
      }
    };
    expect(await roundsDuring(reading)).toBeGreaterThanOrEqual(names.length - 1);
  });

  it("while a long transaction is undone, and the next one runs", async () => {
    const writes = new GroupCommit(db);
    const undone = writes.run(async (tx) => {
      await tx.insertInto("cursors").values({ name: "undone", value: "" }).execute();
      holdLoop();
      throw new Error("changed my mind");
    });
    await expect(undone).rejects.toThrow("changed my mind");
    await put(writes);
    expect(await stored()).toBe(names.length);
  });
});

test.each([
  ["of usual length", "test", 1, 6],
  ["that are long", "long ".repeat(3_000), 20, 32],
])(
  "many tests with names %s become known in few transactions, and get their rows in short ones",
  async (_how, name, few, many) => {
    const store = await file.open();
    const { id } = await store.testResults.addRepository(testRepo);
    await store.close();
    const db = connectSqlite<Schema>(file.path);
    const writes = new GroupCommit(db);
    let transactions = 0;
    const counting: Writes = {
      run(work) {
        transactions += 1;
        return writes.run(work);
      },
    };
    const newTests = new NewTests(db, counting);
    const known = new KnownTests(db, counting, newTests);
    const tests = Array.from({ length: 2_000 }, (_, index) => ({ ...buildNamedTest(name), id: `${index}` }));
    const ids = tests.map((test) => test.id);
    await known.know(id, tests, 1_000);
    expect(transactions).toBeLessThanOrEqual(few);
    const numbers = await known.numbersOf(id, ids);
    expect(new Set(numbers.values()).size).toBe(tests.length);
    await newTests.insertAll();
    expect(transactions).toBeGreaterThanOrEqual(many);
    expect(transactions).toBeLessThanOrEqual(many * 2);
    expect(await known.numbersOf(id, ids)).toEqual(numbers);
    await db.destroy();
  },
);

test("new tests keep their numbers when their insertion stops after any of its transactions", async () => {
  const store = await file.open();
  const { id } = await store.testResults.addRepository(testRepo);
  await store.close();
  const db = connectSqlite<Schema>(file.path);
  const writes = new GroupCommit(db);
  let isWhole = false;
  for (let most = 0; !isWhole; most++) {
    const ids = Array.from({ length: 1_100 }, (_, index) => `${index}-of-${most}`);
    const tests = ids.map((one) => ({ ...buildNamedTest("test"), id: one }));
    const numbers = await new KnownTests(db, writes, new NewTests(db, writes)).know(id, tests, 1_000);
    let left = most;
    const ending: Writes = {
      run: (work) => (left-- > 0 ? writes.run(work) : Promise.reject(new Error("the process ended"))),
    };
    isWhole = await new NewTests(db, ending).insertAll().then(
      () => true,
      () => false,
    );
    const after = new NewTests(db, writes);
    const known = new KnownTests(db, writes, after);
    expect(await known.numbersOf(id, ids)).toEqual(numbers);
    await after.insertAll();
    expect(await known.numbersOf(id, ids)).toEqual(numbers);
    for (const table of ["test_cases", "test_ids"] as const) {
      const rows = db.selectFrom(table).select(({ fn }) => fn.countAll<number>().as("count"));
      expect(await rows.executeTakeFirstOrThrow()).toEqual({ count: ids.length * (most + 1) });
    }
  }
  await db.destroy();
});

test("all tests of a repository are counted, however many they are", async () => {
  const store = await file.open();
  const { id } = await store.testResults.addRepository(testRepo);
  const db = connectSqlite<Schema>(file.path);
  await sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < 80000)
    insert into test_ids (repo_id, id, test_sk) select ${id}, cast(printf('%08d', i) as blob), i from n`.execute(
    db,
  );
  await sql`update test_numbers set last = 80000`.execute(db);
  await db.destroy();
  const counted = async () => {
    let tests = Number.NaN;
    await store.quarantines.revise(id, [], 1_000, (scene) => {
      tests = scene.tests;
      return { revisions: [], isBudgetSpent: null };
    });
    return tests;
  };
  expect(await counted()).toBe(80_000);
  await store.testResults.know(id, [buildNamedTest("one more")], 1_000);
  expect(await counted()).toBe(80_001);
  await store.close();
});

describe("ten thousand quarantines", () => {
  const names = Array.from({ length: 10_000 }, (_, index) => `test ${index}`);
  const ids = names.map((name) => `id-of-${name}`);
  const until = { since: 1_000, expiresAt: 2_000, owner: null, reason: "It turns" };

  it("are decided in one transaction that does not block the event loop", async () => {
    const store = await file.open();
    const { id } = await store.testResults.addRepository(testRepo);
    await store.testResults.know(id, names.map(buildNamedTest), 1_000);
    const rounds = await roundsDuring(() =>
      store.quarantines.revise(id, ids, 1_000, ({ candidates }) => ({
        revisions: candidates.map(({ sk }) => ({
          ...{ sk, mode: "ALWAYS", isQuarantined: true, quarantine: until },
        })),
        isBudgetSpent: null,
      })),
    );
    expect(rounds).toBeGreaterThan(5);
    expect(await store.quarantines.list(id, "", 10_001)).toHaveLength(names.length);
    await store.close();
  });
});

describe("an upload of fifty thousand tests", () => {
  const names = Array.from({ length: 50_000 }, (_, index) => `test ${index}`);
  const results = names.map((name) => buildResult(name));

  async function openWithTests(): Promise<{ store: Store; id: number }> {
    const store = await file.open();
    const { id } = await store.testResults.addRepository(testRepo);
    for (let from = 0; from < names.length; from += 5_000)
      await store.testResults.know(id, names.slice(from, from + 5_000).map(buildNamedTest), 1_000);
    return { store, id };
  }

  async function settle({ testEvaluations }: Store): Promise<boolean> {
    const uploads = await testEvaluations.unevaluated(20);
    return await testEvaluations.settle({ uploads, tests: new Map(), at: 2_000 });
  }

  /** Returns how many tests have each number of runs. */
  async function runCounts({ testEvaluations }: Store): Promise<Record<number, number>> {
    const found: Record<number, number> = {};
    const sks = names.map((_, at) => at + 1);
    for (const { runs } of (await testEvaluations.countRuns(sks, 0)).values())
      found[runs] = (found[runs] ?? 0) + 1;
    return found;
  }

  const uncounted = () => {
    const database = new DatabaseSync(file.path);
    const rows = database.prepare("select next_sk from test_uncounted_uploads").all();
    database.close();
    return rows.map(({ next_sk }) => Number(next_sk));
  };

  it("is recorded and evaluated without blocking the event loop", async () => {
    const { store, id } = await openWithTests();
    const record = () => store.testResults.record(id, buildTestUpload({ results }));
    expect(await roundsDuring(record)).toBeGreaterThan(50);
    const uploads = await store.testEvaluations.unevaluated(20);
    const evaluate = () =>
      evaluateUploads(
        uploads,
        store.testEvaluations,
        defaultDetectionSettings,
        new UploadRenames(store.testEvaluations.renames),
        async () => [],
      );
    expect(await roundsDuring(evaluate)).toBeGreaterThan(30);
    await store.close();
  });

  it("is counted exactly once in several transactions by several concurrent evaluators", async () => {
    const { store, id } = await openWithTests();
    const another = await file.open();
    await store.testResults.record(id, buildTestUpload({ results }));
    const settled = settle(store);
    const steps = new Set<number>();
    while (uncounted().length === 0) await setTimeout(1);
    const counted = another.testEvaluations.unevaluated(20);
    for (let left = uncounted(); left.length > 0; left = uncounted()) {
      for (const next of left) steps.add(next);
      await setImmediate();
    }
    expect([await settled, await counted]).toEqual([true, []]);
    expect(steps.size).toBeGreaterThan(1);
    expect(await runCounts(another)).toEqual({ 1: names.length });
    await Promise.all([store.close(), another.close()]);
  });

  it("is counted to the end after the process that counted it has died", async () => {
    const { store, id } = await openWithTests();
    for (let run = 0; run < 2; run++) await store.testResults.record(id, buildTestUpload({ results }));
    const settled = settle(store);
    settled.catch(() => {});
    while (!uncounted().some((next) => next > 0)) await setTimeout(1);
    await store.close();
    await expect(settled).rejects.toThrow("closed");
    expect(uncounted()).toHaveLength(2);
    const next = await file.open();
    expect(await next.testEvaluations.unevaluated(20)).toEqual([]);
    expect(uncounted()).toEqual([]);
    expect(await runCounts(next)).toEqual({ 2: names.length });
    await next.close();
  });
});
