import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { placeTests } from "../../../src/flaky/store/identities/test-suites.ts";
import { connectSqlite } from "../../../src/store/sqlite/connect-sqlite.ts";
import type { Schema } from "../../../src/store/sqlite/schema.ts";
import { buildNamedTest, testRepo } from "../../contract/build-test-upload.ts";
import { createSqliteFile, type SqliteFile } from "../../store/sqlite-file.ts";

let file: SqliteFile;
beforeEach(async () => {
  file = await createSqliteFile();
});
afterEach(() => file.remove());

const day = 86_400_000;
const named = (name: string, parent: string | null, path: string | null, classname: string | null) => ({
  ...buildNamedTest(name),
  ...{ parent, file: path, classname },
});
/** Tests of each kind, in an order that interleaves suites. */
const tests = [
  named("a", "one", "one.ts", "One"),
  named("b", "two", "two.ts", "b"),
  named("c", "one", "one.ts", "One"),
  named("d", "one", "one.ts", "Alone"),
  named("e", "two", "two.ts", "e"),
  named("f", "one", "one.ts", null),
  named("g", null, null, null),
  named("h", null, null, null),
  named("i", "three", null, "Three"),
  named("j", null, null, "Own"),
  named("k", null, null, "Own"),
  named("l", "one", "one.ts", "l"),
];

test("data that several tests share is stored once in a suite, and other data with each test", () => {
  const { suites, tests: placed } = placeTests(tests, 10);
  expect([...suites]).toEqual([
    [10, { parent: "one", file: "one.ts", classname: "One" }],
    [11, { parent: "two", file: "two.ts", classname: null }],
    [13, { parent: "one", file: "one.ts", classname: null }],
    [19, { parent: null, file: null, classname: "Own" }],
  ]);
  expect(placed.map(({ place }) => place.in_suite)).toEqual([
    ...[10, 11, 10, 13, 11, 13, null, null, null, 19, 19, 13],
  ]);
  expect(placed.map(({ place }) => place.own_classname)).toEqual([
    ...[null, null, null, "Alone", null, null, null, null, "Three", null, null, null],
  ]);
  expect(placed.flatMap(({ name, place }) => (place.is_named_as_class ? name : []))).toEqual(["b", "e", "l"]);
});

test("tests have the names that were uploaded, and are found by them", async () => {
  const store = await file.open();
  const { id } = await store.testResults.addRepository(testRepo);
  const numbers = await store.testResults.know(id, tests, 1_000);
  const told = await store.testEvaluations.named(tests.map((one) => numbers.get(one.id) ?? 0));
  expect([...told.values()].map(({ sk: _, ...one }) => one)).toEqual(tests);
  const owned = await store.testOwners.tests(id, 0, 100);
  expect(owned.map(({ classname }) => classname)).toEqual(tests.map(({ classname }) => classname));
  const found = async (text: string) => {
    const search = { text, owner: "", suite: "", state: "any" } as const;
    const read = await store.testReads.search(testRepo, search, 100, 2_000);
    const sks = read?.matches.map(({ sk }) => sk) ?? [];
    return [...(await store.testReads.named(testRepo, sks, 2_000)).values()].map(({ name }) => name);
  };
  expect(await found("one.ts")).toEqual(["l", "f", "d", "c", "a"]);
  expect(await found("three")).toEqual(["i"]);
  expect(await found("own")).toEqual(["k", "j"]);
  await store.close();
});

test("a suite is deleted with the last of its tests", async () => {
  const store = await file.open();
  const { id } = await store.testResults.addRepository(testRepo);
  await store.testResults.know(id, tests, 1_000);
  const later = tests.filter(({ name }) => name === "c");
  await store.testResults.know(id, later, 50 * day);
  while ((await store.testEvaluations.forget(40 * day, 5)) > 0);
  const [one] = later;
  expect(await store.testReads.details(testRepo, one?.id ?? "", 50 * day)).toMatchObject({
    ...{ parent: "one", file: "one.ts", classname: "One" },
  });
  expect(await suitesLeft()).toEqual([{ common_classname: "One" }]);
  while ((await store.testEvaluations.forget(100 * day, 5)) > 0);
  expect(await suitesLeft()).toEqual([]);
  await store.close();
});

async function suitesLeft() {
  const db = connectSqlite<Schema>(file.path, true);
  const rows = await db.selectFrom("test_suites").select("common_classname").execute();
  await db.destroy();
  return rows;
}
