import { copyFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { Kysely, sql } from "kysely";
import { createStores } from "../../src/store/create-stores.ts";
import { openSqlite } from "../../src/store/sqlite/connect-sqlite.ts";
import { parseDatabaseUrl } from "../../src/store/sqlite/database-url.ts";
import { GroupCommit } from "../../src/store/sqlite/group-commit.ts";
import { openStore } from "../../src/store/sqlite/open-store.ts";
import type { Schema } from "../../src/store/sqlite/schema.ts";
import { NodeSqliteDialect } from "../../src/store/sqlite/sqlite-dialect.ts";
import { eventually } from "../scenarios/eventually.ts";
import { createSqliteFile, type SqliteFile } from "./sqlite-file.ts";

describe("the database URL", () => {
  it.each([
    ["trainyard.db", "trainyard.db"],
    ["./data/trainyard.db", "./data/trainyard.db"],
    ["C:\\data\\trainyard.db", "C:\\data\\trainyard.db"],
    ["sqlite:trainyard.db", "trainyard.db"],
    ["sqlite:/var/lib/trainyard.db", "/var/lib/trainyard.db"],
    ["sqlite:///var/lib/trainyard.db", "/var/lib/trainyard.db"],
    ["SQLite://data/trainyard.db", "data/trainyard.db"],
    ["file:trainyard.db", "trainyard.db"],
    ["file://localhost/var/lib/trainyard.db", "/var/lib/trainyard.db"],
    [":memory:", ":memory:"],
    ["sqlite::memory:", ":memory:"],
  ])("%s means the file %s", (url, path) => {
    expect(parseDatabaseUrl(url)).toEqual({ kind: "sqlite", path });
  });

  it.each(["postgres://me@db/trainyard", "postgresql://db"])("%s means a PostgreSQL database", (url) => {
    expect(parseDatabaseUrl(url)).toEqual({ kind: "postgres" });
  });

  it("with another or no database is not accepted", () => {
    expect(parseDatabaseUrl("mysql://db")).toEqual({ kind: "unknown", scheme: "mysql" });
    expect(parseDatabaseUrl("  ")).toEqual({ kind: "missing" });
    expect(parseDatabaseUrl("sqlite:")).toEqual({ kind: "missing" });
  });
});

describe("opening a store", () => {
  let file: SqliteFile;
  beforeEach(async () => {
    file = await createSqliteFile();
  });
  afterEach(() => file.remove());

  it("fails for a PostgreSQL server that is not there, without revealing the password", async () => {
    const opening = openStore("postgres://me:s3cret@127.0.0.1:1/trainyard");
    await expect(opening).rejects.toThrow(/the PostgreSQL database cannot be used: .*; check DATABASE_URL/);
    await expect(opening).rejects.not.toThrow(/s3cret/);
    await expect(openStore("mysql://me:s3cret@db")).rejects.toThrow(/^mysql: is not/);
    await expect(openStore("")).rejects.toThrow(/missing/);
  });

  it("creates the file and its directory", async () => {
    const path = join(file.directory, "deep", "down", "trainyard.db");
    await (await openStore(path)).close();
    expect((await stat(path)).isFile()).toBe(true);
  });

  it("checks that it can write at most once a second, and reports when it cannot", async () => {
    const store = await file.open();
    const other = new DatabaseSync(file.path, { timeout: 0 });
    const written = () => other.prepare("select value from cursors where name = 'readiness'").get();
    const before = performance.now();
    expect(await store.ready()).toBeNull();
    const first = written();
    expect(first).toBeDefined();
    expect(new Set(await Promise.all(Array.from({ length: 1_000 }, () => store.ready())))).toEqual(
      new Set([null]),
    );
    // On a slow machine, a second may already have passed.
    if (performance.now() - before < 1_000) expect(written()).toEqual(first);
    other.exec("begin immediate");
    await new Promise((resolve) => setTimeout(resolve, 1_050));
    expect(await store.ready()).toMatchObject({ code: "DATABASE_BUSY" });
    other.exec("rollback");
    other.close();
    await store.close();
  });

  it("is not ready while a full disk refuses large writes, although a small one succeeds", async () => {
    await (await file.open()).close();
    const { db, written } = openSqlite<Schema>(file.path);
    const store = createStores(db, new GroupCommit(db, written));
    expect(await store.ready()).toBeNull();
    const { rows } = await sql<{ pages: number }>`select page_count as pages from pragma_page_count`.execute(
      db,
    );
    await sql`pragma max_page_count = ${sql.lit((rows[0]?.pages ?? 0) + 4)}`.execute(db);
    await expect(store.cursors.put("large", "x".repeat(100_000))).rejects.toMatchObject({
      code: "DATABASE_FULL",
    });
    await store.cursors.put("small", "x");
    await new Promise((resolve) => setTimeout(resolve, 1_050));
    expect(await store.ready()).toMatchObject({ code: "DATABASE_FULL" });
    await sql`pragma max_page_count = 4294967294`.execute(db);
    await eventually(async () => ((await store.ready()) === null ? true : null), "the store to be ready");
    await store.close();
  });

  it.each(["moved", "replaced"] as const)(
    "writes nothing more after its file was %s, because that would be lost, until it is moved back",
    async (how) => {
      const store = await file.open();
      await store.cursors.put("name", "before");
      await rename(file.path, `${file.path}.away`);
      if (how === "replaced") await copyFile(`${file.path}.away`, file.path);
      await expect(store.cursors.put("name", "after")).rejects.toMatchObject({ code: "DATABASE_FILE_MOVED" });
      expect(await store.ready()).toMatchObject({ code: "DATABASE_FILE_MOVED" });
      await rename(`${file.path}.away`, file.path);
      await store.cursors.put("name", "after");
      expect(await store.cursors.get("name")).toBe("after");
      await store.close();
    },
  );

  it("writes nothing more after its log was removed, and loses nothing that was written before", async () => {
    const store = await file.open();
    await store.cursors.put("name", "before");
    await rm(`${file.path}-wal`);
    await expect(store.cursors.put("name", "after")).rejects.toMatchObject({ code: "DATABASE_FILE_MOVED" });
    await store.close();
    const next = await file.open();
    expect(await next.cursors.get("name")).toBe("before");
    await next.close();
  });

  it("fails if the path is a directory", async () => {
    await expect(openStore(file.directory)).rejects.toThrow();
  });

  it("fails if the file is not a database", async () => {
    await writeFile(file.path, "Dear diary, today I ran a merge queue. ".repeat(200));
    await expect(file.open()).rejects.toThrow(/not a database/);
  });

  it("creates a separate database in memory each time", async () => {
    const [one, other] = [await openStore(":memory:"), await openStore(":memory:")];
    await one.cursors.put("name", "value");
    expect(await other.cursors.get("name")).toBeNull();
    await one.close();
    await other.close();
  });

  it("flushes every commit to disk, and enforces foreign keys", async () => {
    const db = new Kysely<unknown>({ dialect: new NodeSqliteDialect(file.path) });
    expect((await sql`pragma synchronous`.execute(db)).rows).toEqual([{ synchronous: 2 }]);
    expect((await sql`pragma foreign_keys`.execute(db)).rows).toEqual([{ foreign_keys: 1 }]);
    await db.destroy();
  });

  it("uses a write-ahead log, so that others can read at the same time", async () => {
    const store = await file.open();
    await store.cursors.put("name", "value");
    const reader = new DatabaseSync(file.path, { readOnly: true });
    expect(reader.prepare("pragma journal_mode").get()).toEqual({ journal_mode: "wal" });
    expect(reader.prepare("select value from cursors").get()).toEqual({ value: "value" });
    reader.close();
    await store.close();
  });
});
