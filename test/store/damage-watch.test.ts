import { afterEach, beforeEach, expect, test } from "@jest/globals";
import type { Store } from "../../src/store/sqlite/open-store.ts";
import { eventually } from "../scenarios/eventually.ts";
import { damagePages } from "./damage-pages.ts";
import { createSqliteFile, type SqliteFile } from "./sqlite-file.ts";

let file: SqliteFile;
let store: Store;
let logged: object[];

beforeEach(async () => {
  file = await createSqliteFile();
  logged = [];
  await (await file.open()).close();
});
afterEach(async () => {
  await store.close();
  await file.remove();
});

const note = (level: string) => (fields: object, message: string) =>
  void logged.push({ level, ...fields, message });
const log = { debug: note("debug"), info: note("info"), warn: note("warn"), error: note("error") };

test("damaged pages are found while the database is used, logged, and make the service not ready", async () => {
  damagePages(file.path, 4);
  store = await file.open();
  expect(await store.ready()).toBeNull();
  store.damage.start(log, 0);
  await eventually(async () => store.damage.found, "the damage to be found");
  expect(await store.ready()).toMatchObject({ code: "DATABASE_CORRUPT" });
  expect(logged).toMatchObject([{ level: "error", code: "DATABASE_CORRUPT", damage: store.damage.found }]);
  await store.cursors.put("name", "still written");
});

test("a database is written to while it is searched for damage, and found to be whole", async () => {
  store = await file.open();
  store.damage.start(log, 0);
  let writes = 0;
  await eventually(async () => {
    await store.cursors.put("name", String(writes++));
    return logged.length || null;
  }, "the search to end");
  expect(logged).toMatchObject([{ level: "debug", code: "DATABASE_EXAMINED" }]);
  expect(await store.ready()).toBeNull();
});

test("closing a database does not wait for the search for damage", async () => {
  store = await file.open();
  store.damage.start(log, 0);
  await new Promise(setImmediate);
  await store.close();
  expect(logged).toEqual([]);
});
