import { readdir } from "node:fs/promises";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { Kysely } from "kysely";
import { applyMigrations } from "../../src/store/schema/apply-migrations.ts";
import { migrate } from "../../src/store/sqlite/migrate.ts";
import type { Schema } from "../../src/store/sqlite/schema.ts";
import { NodeSqliteDialect } from "../../src/store/sqlite/sqlite-dialect.ts";
import { sqliteSchema } from "../../src/store/sqlite/sqlite-schema.ts";
import { buildQueue } from "../contract/build-queue.ts";
import { createSqliteFile, type SqliteFile } from "./sqlite-file.ts";

const { migrations } = sqliteSchema;
const earlierThan = (number: string) =>
  Object.fromEntries(Object.entries(migrations).filter(([name]) => name < number));

describe("migrations", () => {
  let file: SqliteFile;
  beforeEach(async () => {
    file = await createSqliteFile();
  });
  afterEach(() => file.remove());

  const connect = () => new Kysely<Schema>({ dialect: new NodeSqliteDialect(file.path) });

  it("are exactly the files of the migrations folder", async () => {
    const folder = await readdir(new URL("../../migrations/sqlite", import.meta.url));
    const files = folder.filter((name) => name.endsWith(".ts"));
    expect(files.sort()).toEqual(Object.keys(migrations).map((name) => `${name}.ts`));
  });

  it("apply to an empty database, and only once", async () => {
    const db = connect();
    expect(await migrate(db)).toEqual(Object.keys(migrations));
    expect(await migrate(db)).toEqual([]);
    await db.destroy();
  });

  it("do not change an up-to-date database", async () => {
    await (await file.open()).close();
    const before = schemaOf(file.path);
    await (await file.open()).close();
    expect(schemaOf(file.path)).toEqual(before);
  });

  it("apply once when several processes open an empty database at the same time", async () => {
    const stores = await Promise.all(Array.from({ length: 5 }, () => file.open()));
    expect(await Promise.all(stores.map((store) => store.ready()))).toHaveLength(5);
    await Promise.all(stores.map((store) => store.close()));
    const database = new DatabaseSync(file.path);
    expect(database.prepare("select name from kysely_migration").all()).toHaveLength(
      Object.keys(migrations).length,
    );
    database.close();
  });

  it("keep the command lines apart from browsers that an earlier version has signed in", async () => {
    const db = connect();
    await applyMigrations(db, { ...sqliteSchema, migrations: earlierThan("0013") });
    const day = 86_400_000;
    const person = { user_id: 7, login: "alice", token_id: null, created_at: 0, seen_at: 0 };
    const sessions = [
      { ...person, id_sha256: "a", expires_at: 7 * day },
      { ...person, id_sha256: "b", expires_at: 30 * day },
    ];
    await db
      .insertInto("dashboard_sessions")
      .values(sessions as never)
      .execute();
    await migrate(db);
    await db.destroy();
    const store = await file.open();
    expect((await store.sessions.find("a"))?.device).toBeNull();
    expect((await store.sessions.find("b"))?.device).toEqual({ kind: "command_line", machine: "" });
    await store.close();
  });

  it("find what stopped the queues in logs that an earlier version wrote", async () => {
    const db = connect();
    await applyMigrations(db, { ...sqliteSchema, migrations: earlierThan("0014") });
    const { repo, ...queue } = buildQueue();
    const row = { ...repo, id: queue.id, repo_key: "a", branch: "main", installation_id: 1, created_at: 1 };
    await db.insertInto("queues").values(row).execute();
    const freeze = { reason: "Release.", since: 1, until: 9, timeZone: "UTC" };
    const reason = { code: "CONFIGURED", by: "@alice", note: "running" };
    const logged = [
      { type: "entry_due", pr: 1 },
      { type: "queue_status_changed", to: "paused", reason },
      { type: "freeze_changed", freeze, prs: [1] },
      { type: "queue_status_changed", to: "running", reason },
      { type: "freeze_changed", freeze: null, prs: [] },
      { type: "stall_changed", stall: { since: 1, pr: 1 }, prs: [1] },
      { type: "stall_changed", stall: null, prs: [] },
    ];
    for (const [index, data] of logged.entries())
      await db
        .insertInto("events")
        .values({ queue_id: queue.id, seq: index + 1, at: 1, content: JSON.stringify(data) })
        .execute();
    await migrate(db);
    await db.destroy();
    const store = await file.open();
    const found = async (first: number) =>
      (await store.queues.stopsBetween(queue.id, { first, last: 99, limit: 9 })).map(({ seq }) => seq);
    expect(await found(1)).toEqual([2, 3, 4, 5, 6, 7]);
    expect(await found(5)).toEqual([3, 5, 6, 7]);
    expect(await found(7)).toEqual([6, 7]);
    expect(await found(8)).toEqual([]);
    await store.close();
  });

  it("reject a database that a newer version has used, without changing it", async () => {
    await (await file.open()).close();
    const database = new DatabaseSync(file.path);
    database.exec("insert into kysely_migration values ('9999-time-travel', '2030-01-01T00:00:00.000Z')");
    database.close();
    const before = schemaOf(file.path);
    await expect(file.open()).rejects.toThrow(
      /newer or an unreleased version of Trainyard.*9999-time-travel/,
    );
    expect(schemaOf(file.path)).toEqual(before);
  });
});

function schemaOf(path: string): unknown {
  const database = new DatabaseSync(path);
  const schema = database.prepare("select name, sql from sqlite_master order by name").all();
  const applied = database.prepare("select * from kysely_migration").all();
  database.close();
  return { schema, applied };
}
