import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { Kysely, sql } from "kysely";
import { GroupCommit } from "../../src/store/sqlite/group-commit.ts";
import { migrate } from "../../src/store/sqlite/migrate.ts";
import type { Database, Schema, Tx } from "../../src/store/sqlite/schema.ts";
import { NodeSqliteDialect } from "../../src/store/sqlite/sqlite-dialect.ts";
import { createSqliteFile, type SqliteFile } from "./sqlite-file.ts";

describe("concurrent writes", () => {
  let file: SqliteFile;
  let db: Database;
  let begun: number;
  beforeEach(async () => {
    file = await createSqliteFile();
    begun = 0;
    db = new Kysely<Schema>({ dialect: new NodeSqliteDialect(file.path) });
    await migrate(db);
  });
  afterEach(async () => {
    await db.destroy();
    await file.remove();
  });

  const put = (name: string) => async (tx: Tx) => {
    await tx.insertInto("cursors").values({ name, value: "" }).execute();
  };
  const stored = async () => (await db.selectFrom("cursors").select("name").execute()).map((row) => row.name);
  /** A database that counts the transactions. */
  const counting = (): Database => {
    const transaction = () => {
      begun++;
      return db.transaction();
    };
    const executeQuery: Database["executeQuery"] = (query) => db.executeQuery(query);
    return Object.assign(Object.create(db), { transaction, executeQuery });
  };

  it("are not committed in part when the disk becomes full between statements that were begun together", async () => {
    const writes = new GroupCommit(db);
    const { rows } = await sql<{ page_count: number }>`pragma page_count`.execute(db);
    await sql`pragma max_page_count = ${sql.lit((rows[0]?.page_count ?? 0) + 2)}`.execute(db);
    const large = (tx: Tx) => tx.insertInto("cursors").values({ name: "large", value: "x".repeat(100_000) });
    const careless = writes.run((tx) =>
      Promise.all([put("before")(tx), large(tx).execute(), put("after")(tx)]).then(() => {}),
    );
    await expect(careless).rejects.toThrow(/full/);
    expect(await stored()).toEqual([]);
    await sql`pragma max_page_count = 1000000`.execute(db);
    await writes.run(put("later"));
    expect(await stored()).toEqual(["later"]);
  });

  it("share one transaction", async () => {
    const writes = new GroupCommit(counting());
    await Promise.all(["a", "b", "c"].map((name) => writes.run(put(name))));
    expect(await stored()).toEqual(["a", "b", "c"]);
    expect(begun).toBe(1);
  });

  it("share a transaction again when each caller writes again after its response", async () => {
    const writes = new GroupCommit(counting());
    const caller = async (name: string, promisesBetween: number) => {
      for (const round of [1, 2, 3]) {
        await writes.run(put(name + round));
        for (let index = 0; index < promisesBetween; index++) await null;
      }
    };
    await Promise.all(["a", "b", "c", "d"].map((name, index) => caller(name, index * 20)));
    expect(begun).toBe(3);
  });

  it("are committed in order, and before their commit becomes too large", async () => {
    let written = 0;
    const large = (name: string) => async (tx: Tx) => {
      await put(name)(tx);
      written += 600_000;
    };
    const writes = new GroupCommit(counting(), () => written);
    const names = ["e", "d", "c", "b", "a"];
    const answered: string[] = [];
    await Promise.all(names.map((name) => writes.run(large(name)).then(() => answered.push(name))));
    await writes.close();
    expect(answered).toEqual(names);
    expect((await stored()).toSorted()).toEqual(names.toSorted());
    expect(begun).toBe(3);
  });

  it("are committed before their commit becomes too late", async () => {
    const slow = (name: string) => async (tx: Tx) => {
      await put(name)(tx);
      await sleep(1_050);
    };
    const writes = new GroupCommit(counting());
    await Promise.all([writes.run(put("a")), writes.run(slow("b")), writes.run(put("c"))]);
    expect(await stored()).toEqual(["a", "b", "c"]);
    expect(begun).toBe(2);
  });

  it("do not undo each other when one fails", async () => {
    const writes = new GroupCommit(db);
    const failing = async (tx: Tx) => {
      await put("half")(tx);
      throw new Error("changed my mind");
    };
    const results = await Promise.allSettled([
      writes.run(put("a")),
      writes.run(failing),
      writes.run(put("a")),
      writes.run(put("b")),
    ]);
    expect(results.map((result) => result.status)).toEqual([
      "fulfilled",
      "rejected",
      "rejected",
      "fulfilled",
    ]);
    await expect(writes.run(failing)).rejects.toThrow("changed my mind");
    expect(await stored()).toEqual(["a", "b"]);
  });

  it("are not visible to a reader before their commit", async () => {
    const writes = new GroupCommit(db);
    let seen = Promise.resolve<readonly string[]>(["not asked yet"]);
    const undone = async (tx: Tx) => {
      await put("undone")(tx);
      seen = stored();
      for (const name of ["and", "more"]) await put(name)(tx);
      throw new Error("changed my mind");
    };
    await Promise.allSettled([writes.run(undone), writes.run(put("kept"))]);
    expect(await seen).toEqual(["kept"]);
  });

  it("return their results", async () => {
    const writes = new GroupCommit(db);
    const count = async (tx: Tx) => (await tx.selectFrom("cursors").selectAll().execute()).length;
    expect(await Promise.all([writes.run(count), writes.run(put("a")), writes.run(count)])).toEqual([
      0,
      undefined,
      1,
    ]);
  });

  it("all fail when the commit fails, and leave nothing", async () => {
    const writes = new GroupCommit(db);
    // The commit checks a deferred foreign key.
    const orphan = async (tx: Tx) => {
      await sql`pragma defer_foreign_keys = on`.execute(tx);
      await tx.insertInto("events").values({ queue_id: "nobody", seq: 1, at: 1, content: "{}" }).execute();
    };
    const results = await Promise.allSettled([writes.run(put("a")), writes.run(orphan)]);
    expect(results.map((result) => result.status)).toEqual(["rejected", "rejected"]);
    expect(await stored()).toEqual([]);
    await writes.run(put("b"));
    expect(await stored()).toEqual(["b"]);
  });

  it("all fail with the first error when the database aborts the transaction, and later writes succeed", async () => {
    const writes = new GroupCommit(db);
    const fatal = async (tx: Tx) => {
      await sql`insert or rollback into cursors (name, value) values ('a', '')`.execute(tx);
    };
    const results = await Promise.allSettled([writes.run(put("a")), writes.run(fatal), writes.run(put("c"))]);
    expect(results).toEqual(
      [1, 2, 3].map(() => ({
        status: "rejected",
        reason: expect.objectContaining({ message: expect.stringContaining("UNIQUE") }),
      })),
    );
    await writes.run(put("d"));
    expect(await stored()).toEqual(["d"]);
  });

  it("fail while the disk is full, and succeed once there is room", async () => {
    const writes = new GroupCommit(db);
    await writes.run(put("before"));
    const { rows } = await sql<{ page_count: number }>`pragma page_count`.execute(db);
    await sql`pragma max_page_count = ${sql.lit(rows[0]?.page_count ?? 0)}`.execute(db);
    const large = async (tx: Tx) => {
      await tx
        .insertInto("cursors")
        .values({ name: "large", value: "x".repeat(1_000_000) })
        .execute();
    };
    const [, rejected] = await Promise.allSettled([writes.run(put("small")), writes.run(large)]);
    expect(rejected).toMatchObject({ status: "rejected", reason: { message: "database or disk is full" } });
    await sql`pragma max_page_count = 1000000`.execute(db);
    await writes.run(large);
    expect(await stored()).toEqual(expect.arrayContaining(["before", "large"]));
  });

  it("are accepted in any number", async () => {
    const writes = new GroupCommit(db);
    const names = Array.from({ length: 1_000 }, (_, index) => `name ${index}`);
    await Promise.all(names.map((name) => writes.run(put(name))));
    expect(await stored()).toHaveLength(1_000);
  });

  it("wait for another process's transaction without blocking this process", async () => {
    const other = new Kysely<Schema>({ dialect: new NodeSqliteDialect(file.path) });
    const writes = new GroupCommit(db);
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const { promise: locked, resolve: lock } = Promise.withResolvers<void>();
    const holding = other.transaction().execute(async (tx) => {
      await put("other")(tx);
      lock();
      await released;
    });
    await locked;
    const writing = writes.run(put("mine"));
    expect(await stored()).toEqual([]);
    release();
    await Promise.all([holding, writing]);
    expect((await stored()).sort()).toEqual(["mine", "other"]);
    await other.destroy();
  });
});
