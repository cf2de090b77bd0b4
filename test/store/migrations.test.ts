import { readdir } from "node:fs/promises";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { Kysely } from "kysely";
import { Migrator } from "kysely/migration";
import { targetsOf } from "../../src/engine/model/targets.ts";

import { migrate, migrations } from "../../src/store/sqlite/migrate.ts";
import type { Schema } from "../../src/store/sqlite/schema.ts";
import { NodeSqliteDialect } from "../../src/store/sqlite/sqlite-dialect.ts";
import { TestPacker } from "../../src/store/tests/packing/pack-tests.ts";
import { buildNamedTest } from "../contract/build-test-upload.ts";
import { createSqliteFile, type SqliteFile } from "./sqlite-file.ts";

describe("migrations", () => {
  let file: SqliteFile;
  beforeEach(async () => {
    file = await createSqliteFile();
  });
  afterEach(() => file.remove());

  const connect = () => new Kysely<Schema>({ dialect: new NodeSqliteDialect(file.path) });

  it("are exactly the files of the migrations folder", async () => {
    const files = await readdir(new URL("../../migrations", import.meta.url));
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

  it("record the failing hours and the start of flakiness for existing failures", async () => {
    const db = connect();
    const migrator = new Migrator({ db, provider: { getMigrations: async () => ({ ...migrations }) } });
    expect((await migrator.migrateTo("0012-reading-tests")).error).toBeUndefined();
    await db.destroy();
    const hour = 3_600_000;
    const database = new DatabaseSync(file.path);
    const repo = ["github.com", "acme", "widgets"] as const;
    const history = {
      changes: [{ status: "HEALTHY" }, { status: "FLAKY", at: 7 }, { status: "BROKEN", at: 8 }],
    };
    const addRepository = database.prepare(
      "insert into test_repositories (id, host, owner, name, repo_key) values (?, ?, ?, ?, ?)",
    );
    addRepository.run(1, ...repo, repo.join("/"));
    addRepository.run(2, "github.com", "elsewhere", "widgets", "github.com/elsewhere/widgets");
    const addTest = database.prepare(
      `insert into test_cases (sk, repo_id, id, name, variant, status, status_reason, status_at, history, quarantine_mode, quarantined,
         first_seen_at, last_seen_at) values (?, ?, ?, ?, '', 'HEALTHY', '{}', 0, ?, 'AUTO', 0, 0, 0)`,
    );
    const addFailure = database.prepare(
      `insert into test_failures (test_sk, at, upload_id, attempt, repo_id, kind, is_final, quarantined, is_suspect, fingerprint)
         values (?, ?, 1, 1, ?, 'pr', 1, 0, ?, 'f')`,
    );
    const histories = [JSON.stringify(history), '{"changes":[]}', "{", null, null];
    for (const [index, text] of histories.entries())
      addTest.run(index * 1_000 + 1, index === 4 ? 2 : 1, `id-${index}`, `test ${index}`, text);
    for (const [sk, at, repository, isSuspect] of [
      [1, hour, 1, 0],
      [1, hour + 5, 1, 0],
      [1_001, 2 * hour - 1, 1, 0],
      [2_001, 2 * hour, 1, 0],
      [3_001, hour + 5, 1, 1],
      [4_001, hour + 5, 2, 0],
    ] as const)
      addFailure.run(sk, at, repository, isSuspect);
    database.close();

    const store = await file.open();
    const [host, owner, name] = repo;
    const failing = async (from: number, until: number) => {
      const list = { kind: "failing", from, until } as const;
      const query = { direction: "after", place: null, limit: 9 } as const;
      return (await store.testReads.list({ host, owner, name }, list, query, from)).map((test) => test.name);
    };
    expect(await failing(hour, 2 * hour)).toEqual(["test 1", "test 0"]);
    expect(await failing(0, 3 * hour)).toEqual(["test 2", "test 1", "test 0"]);
    await store.close();
    const migrated = new DatabaseSync(file.path);
    const stored = migrated.prepare("select history, proven_at from test_cases order by sk").all();
    migrated.close();
    expect(stored.map((row) => row.proven_at)).toEqual([7, null, null, null, null]);
    expect(stored.map((row) => row.history)).toEqual([
      JSON.stringify({ ...history, provenAt: 7 }),
      '{"changes":[],"provenAt":null}',
      ...["{", null, null],
    ]);
  });

  it("let forks only add to existing targets whose source is unknown", async () => {
    const db = connect();
    const migrator = new Migrator({ db, provider: { getMigrations: async () => ({ ...migrations }) } });
    expect((await migrator.migrateTo("0016-unplanned-quarantines")).error).toBeUndefined();
    await db.destroy();
    const database = new DatabaseSync(file.path);
    database.prepare("insert into targets values ('h/o/n', 7, 'a', 'h', 'o', 'n', 1, '\"ALL\"')").run();
    database.close();
    const store = await file.open();
    const repo = { host: "h", owner: "o", name: "n" };
    const upload = { repo, pr: 7, headSha: "a", uploadedAt: 2, targets: targetsOf([]) };
    expect(await store.targets.put({ ...upload, source: "fork" })).toMatchObject({ targets: "ALL" });
    await store.close();
  });

  it("keep tests findable by their ids and never reuse a number when ids move to a separate table", async () => {
    const db = connect();
    const migrator = new Migrator({ db, provider: { getMigrations: async () => ({ ...migrations }) } });
    expect((await migrator.migrateTo("0033-workflows-of-uploads")).error).toBeUndefined();
    await db.destroy();
    const database = new DatabaseSync(file.path);
    database.exec(`insert into test_repositories (id, host, owner, name, repo_key)
      values (1, 'github.com', 'acme', 'widgets', 'github.com/acme/widgets')`);
    const addTest = database.prepare(
      `insert into test_cases (sk, repo_id, id, name, variant, status, status_reason, status_at, quarantine_mode, quarantined,
         ticket_url, first_seen_at, last_seen_at) values (?, 1, ?, ?, '', ?, ?, 5, 'AUTO', 0, ?, 6, 7)`,
    );
    addTest.run(3, "id-a", "healthy", "HEALTHY", '{"code":"NOTHING_KNOWN"}', null);
    addTest.run(4, "id-b", "flaky", "FLAKY", '{"code":"PASSES_NOW","streaks":2}', "https://tickets/4");
    addTest.run(9, "id-c", "deleted", "HEALTHY", '{"code":"NOTHING_KNOWN"}', null);
    database.exec("delete from test_cases where sk = 9");
    database.close();

    const store = await file.open();
    const repo = { host: "github.com", owner: "acme", name: "widgets" };
    expect(await store.testReads.details(repo, "id-a", 10)).toMatchObject({
      name: "healthy",
      status: { status: "HEALTHY", at: 5, reason: { code: "NOTHING_KNOWN" } },
    });
    expect(await store.testReads.details(repo, "id-b", 10)).toMatchObject({
      name: "flaky",
      ticketUrl: "https://tickets/4",
      status: { status: "FLAKY", reason: { code: "PASSES_NOW", streaks: 2 } },
    });
    const numbers = await store.testResults.know(
      1,
      ["id-a", "id-b", "id-new"].map((id) => ({ ...buildNamedTest(id), id })),
      10,
    );
    expect(["id-a", "id-b", "id-new"].map((id) => numbers.get(id))).toEqual([3, 4, 10]);
    await store.close();
  });

  it("keep tests, their ids, names and quarantines when suites move to a separate table", async () => {
    const db = connect();
    const migrator = new Migrator({ db, provider: { getMigrations: async () => ({ ...migrations }) } });
    expect((await migrator.migrateTo("0040-names-of-targets")).error).toBeUndefined();
    await db.destroy();
    const uuid = "0b0c0d0e-aaaa-5bbb-8ccc-0123456789ab";
    const ids = [uuid, "0B0C0D0E-AAAA-5BBB-8CCC-0123456789AB", "given by hand", `${uuid.slice(0, -1)}g`];
    const database = new DatabaseSync(file.path);
    database.exec(`insert into test_repositories (id, host, owner, name, repo_key)
      values (1, 'github.com', 'acme', 'widgets', 'github.com/acme/widgets')`);
    const addTest = database.prepare(
      `insert into test_cases (sk, repo_id, id, name, parent, file, classname, variant, codeowners, status, status_at, quarantine_mode,
         quarantined, quarantined_at, quarantine_expires_at, quarantine_owner, quarantine_reason, ticket_url, first_seen_at, last_seen_at)
       values (?, 1, ?, ?, 'suite', 'a.ts', 'Spins', 'linux', '["@acme/a"]', 'HEALTHY', 5, 'ALWAYS', 1, 6, 99999, '@alice',
         'It turns', 'https://tickets/4', 6, 7)`,
    );
    const addId = database.prepare("insert into test_ids (repo_id, id, test_sk) values (1, ?, ?)");
    for (const [index, id] of ids.entries()) {
      addTest.run(index + 3, id, `test ${index}`);
      addId.run(id, index + 3);
    }
    const waiting = ["11111111-2222-5333-8444-555555555555", "id-of-waiting"];
    const packer = new TestPacker();
    packer.add(waiting.map((id) => ({ ...buildNamedTest(id), id, file: "b.ts", classname: id })));
    database.exec("update sqlite_sequence set seq = 42 where name = 'test_cases'");
    database
      .prepare("insert into test_new_tests (repo_id, first_sk, at, tests) values (1, 41, 8, ?)")
      .run(await packer.packed());
    database.close();

    const store = await file.open();
    const quarantines = await store.quarantines.list(1, "", 10);
    expect(quarantines.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
    expect(quarantines.find(({ id }) => id === uuid)).toMatchObject({
      ...{ sk: 3, name: "test 0", parent: "suite", file: "a.ts", classname: "Spins", variant: "linux" },
      ...{ isQuarantined: true, mode: "ALWAYS", owners: ["@acme/a"], ticketUrl: "https://tickets/4" },
      quarantine: { since: 6, expiresAt: 99_999, owner: "@alice", reason: "It turns" },
    });
    const pages = [];
    for (let after = ""; ; ) {
      const [page] = await store.quarantines.list(1, after, 1);
      if (!page) break;
      pages.push(page.id);
      after = page.id;
    }
    expect(pages).toEqual(quarantines.map(({ id }) => id));
    const place = { at: 10, line: "main", pullRequest: null };
    const held = await store.testResults.quarantined(1, ids, place);
    expect([...held.keys()].toSorted()).toEqual(ids.toSorted());
    for (const [index, id] of waiting.entries())
      expect(await store.quarantines.find(1, id)).toMatchObject({
        ...{ sk: 41 + index, name: id, parent: "suite", file: "b.ts", classname: id },
      });
    const all = [...ids, ...waiting, "id-new"].map((id) => ({ ...buildNamedTest(id), id }));
    const numbers = await store.testResults.know(1, all, 10);
    expect(all.map(({ id }) => numbers.get(id))).toEqual([3, 4, 5, 6, 41, 42, 43]);
    const repo = { host: "github.com", owner: "acme", name: "widgets" };
    expect(await store.testReads.details(repo, uuid.toUpperCase(), 10)).toMatchObject({
      ...{ id: uuid, file: "a.ts", classname: "Spins", codeowners: ["@acme/a"] },
    });
    await store.close();
  });

  it("reject a database that a newer version has used, without changing it", async () => {
    await (await file.open()).close();
    const database = new DatabaseSync(file.path);
    database.exec("insert into kysely_migration values ('9999-time-travel', '2030-01-01T00:00:00.000Z')");
    database.close();
    const before = schemaOf(file.path);
    await expect(file.open()).rejects.toThrow(/newer version of Trainyard.*9999-time-travel/);
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
