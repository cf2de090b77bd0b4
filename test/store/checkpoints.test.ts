import { stat } from "node:fs/promises";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { type OpenedSqlite, openSqlite } from "../../src/store/sqlite/connect-sqlite.ts";
import { GroupCommit } from "../../src/store/sqlite/group-commit.ts";
import { migrate } from "../../src/store/sqlite/migrate.ts";
import type { Schema, Tx } from "../../src/store/sqlite/schema.ts";
import { createSqliteFile, type SqliteFile } from "./sqlite-file.ts";

const megabyte = 1_000_000;

let file: SqliteFile;
let opened: OpenedSqlite<Schema>;
beforeEach(async () => {
  file = await createSqliteFile();
  opened = openSqlite<Schema>(file.path);
  await migrate(opened.db);
});
afterEach(async () => {
  await opened.db.destroy();
  await file.remove();
});

const put = (name: string, bytes: number) => async (tx: Tx) => {
  await tx
    .insertInto("cursors")
    .values({ name, value: "x".repeat(bytes) })
    .execute();
};
const databaseBytes = async () => (await stat(file.path)).size;
const logBytes = async () => (await stat(`${file.path}-wal`)).size;

describe("the write-ahead log", () => {
  it("is not copied within a commit", async () => {
    const before = await databaseBytes();
    await opened.db.transaction().execute(put("large", 20 * megabyte));
    expect(await databaseBytes()).toBe(before);
    expect(await logBytes()).toBeGreaterThan(20 * megabyte);
  });

  it.each([
    ["few large", 40, megabyte],
    ["many small", 2_000, 100],
  ])("is copied between %s commits, and stays small", async (_which, count, bytes) => {
    const writes = new GroupCommit(opened.db, opened.written);
    for (let index = 0; index < count; index++) await writes.run(put(`${index}`, bytes));
    await writes.close();
    expect(await databaseBytes()).toBeGreaterThan(0.8 * count * bytes);
    expect(await logBytes()).toBeLessThan(4 * megabyte);
  });

  it("is copied later if a reader still uses it", async () => {
    const writes = new GroupCommit(opened.db, opened.written);
    const reader = openSqlite<Schema>(file.path, true);
    const isRead = reader.db.transaction();
    await writes.run(put("a", 2 * megabyte));
    await isRead.execute(async (tx) => {
      await tx.selectFrom("cursors").select("name").execute();
      await writes.run(put("b", 2 * megabyte));
      await writes.run(put("c", 2 * megabyte));
    });
    await reader.db.destroy();
    const before = await databaseBytes();
    await writes.run(put("d", 2 * megabyte));
    await writes.close();
    expect(await databaseBytes()).toBeGreaterThan(before + 2 * megabyte);
  });
});
