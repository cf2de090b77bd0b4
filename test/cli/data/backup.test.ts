import { copyFile, readdir, readFile, stat, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { zstdDecompressSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { ownDatabase } from "../../../src/store/sqlite/own-database.ts";
import { createSqliteFile, type SqliteFile } from "../../store/sqlite-file.ts";
import { parseDocumented } from "../documented.ts";
import { type Finished, Trainyard } from "../run-trainyard.ts";

const quiet = { debug() {}, info() {}, warn() {}, error() {} };

let file: SqliteFile;
let backup: string;
beforeEach(async () => {
  file = await createSqliteFile();
  backup = join(file.directory, "backup.db");
});
afterEach(() => file.remove());

const run = (args: readonly string[], databaseUrl = file.path): Promise<Finished> =>
  new Trainyard(args, { DATABASE_URL: databaseUrl }, file.directory).finished;

test("a backup of a database in use has what a copy of the file lacks, and replaces the database later", async () => {
  const store = await file.open();
  await store.cursors.put("name", "before");
  const plain = join(file.directory, "plain.db");
  await copyFile(file.path, plain);
  expect(() => valueIn(plain)).toThrow(/no such table/);

  const written = await run(["backup", backup]);
  expect(written).toMatchObject({ code: 0, err: "", out: expect.stringMatching(/^cursors: 1 row$/m) });
  expect((await stat(backup)).mode & 0o777).toBe(0o600);
  expect(valueIn(backup)).toBe("before");
  const again = await run(["backup", backup]);
  expect(again).toMatchObject({
    ...{ code: 1, err: expect.stringMatching(/ exists, and is not overwritten; .* \(BACKUP_EXISTS\)\n$/) },
  });

  await store.cursors.put("name", "after");
  const stop = new AbortController().signal;
  const ownership = await ownDatabase(file.path, { waitMs: 0, log: quiet, stop });
  const refused = await run(["restore", backup, "--json"]);
  expect(refused).toMatchObject({ code: 1, out: "" });
  expect(parseDocumented("failure", refused.err)).toMatchObject({
    ...{ code: "DATABASE_IN_USE", detail: expect.stringMatching(/is in use by .*; stop it first$/) },
  });
  if (ownership.kind === "owned") ownership.release();
  await store.close();

  // The service was killed: the last write is only in the log.
  const killed = new DatabaseSync(file.path);
  killed.exec("update cursors set value = 'last'");
  const files = await Promise.all([file.path, `${file.path}-wal`].map((path) => readFile(path)));
  killed.close();
  for (const [index, content] of files.entries())
    await writeFile(index === 0 ? file.path : `${file.path}-wal`, content);
  const restored = await run(["restore", backup, "--json"]);
  expect(restored).toMatchObject({ code: 0, err: "" });
  expect(valueIn(file.path)).toBe("before");
  const [replaced = ""] = (await readdir(file.directory)).filter((name) =>
    /\.replaced-\d{8}T\d{6}Z$/.test(name),
  );
  expect(parseDocumented("restore", restored.out)).toMatchObject({
    ...{ database: file.path, replaced: join(file.directory, replaced), rows: { cursors: 1, queues: 0 } },
  });
  expect(valueIn(join(file.directory, replaced))).toBe("last");
  await (await file.open()).close();
});

test("a damaged backup changes nothing", async () => {
  const store = await file.open();
  await store.cursors.put("name", "value");
  await store.close();
  const written = await run(["backup", backup, "--json"]);
  expect(parseDocumented("backup", written.out)).toMatchObject({ file: backup, rows: { cursors: 1 } });
  await truncate(backup, (await stat(backup)).size - 8_192);
  const { code, out, err } = await run(["restore", backup]);
  expect({ code, out }).toEqual({ code: 1, out: "" });
  expect(err.trimEnd().split("\n")).toHaveLength(1);
  expect(valueIn(file.path)).toBe("value");
  expect((await readdir(file.directory)).filter((name) => /replaced|restoring/.test(name))).toEqual([]);
});

describe("restore --check", () => {
  const earlier = join(import.meta.dirname, "../../store/earlier/0.1.0.db.zst");

  test("migrates a copy of an earlier version's backup, opens its queues, and changes nothing", async () => {
    await writeFile(backup, zstdDecompressSync(await readFile(earlier)));
    const before = [await readFile(backup), await readdir(file.directory)];
    const { code, out, err } = await run(["restore", "--check", backup]);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toMatch(/^entries: 13 rows$/m);
    expect(out).toMatch(/^migrated {2}0002-last-commands$/m);
    expect(out).toMatch(/^acme\/widgets@main: 179 events, 1 pull requests in the queue$/m);
    expect(out).toMatch(/^This version can use .*\. Nothing was changed\.\n$/m);
    const { out: json } = await run(["restore", "--check", backup, "--json"]);
    expect(parseDocumented("restore", json)).toMatchObject({
      ...{ rows: { entries: 13 }, migrations: expect.arrayContaining(["0002-last-commands"]) },
      queues: [{ queue: "acme/widgets@main", events: 179, pullRequests: 1 }],
    });
    expect([await readFile(backup), await readdir(file.directory)]).toEqual(before);
  });

  test("names the queue that cannot be opened", async () => {
    await writeFile(backup, zstdDecompressSync(await readFile(earlier)));
    const database = new DatabaseSync(backup);
    database.exec("update events set content = '{}' where seq = 1; delete from snapshots");
    database.close();
    const { code, err } = await run(["restore", "--check", backup]);
    expect({ code, err }).toEqual({
      code: 1,
      err: expect.stringMatching(
        /^The queue acme\/widgets@main cannot be opened: .* \(DATABASE_DAMAGED\)\n$/,
      ),
    });
    expect(await readdir(file.directory)).toEqual(["backup.db"]);
  });
});

test("on PostgreSQL, the commands say in one line what to run", async () => {
  const url = "postgres://me:secret@127.0.0.1:1/trainyard";
  expect(await run(["backup", backup], url)).toMatchObject({
    ...{ code: 1, out: "", err: expect.stringMatching(/^This database is PostgreSQL: run pg_dump .*\n$/) },
  });
  expect(await run(["restore", backup], url)).toMatchObject({
    ...{ code: 1, out: "", err: expect.stringMatching(/^This database is PostgreSQL: run pg_restore .*\n$/) },
  });
});

function valueIn(path: string): unknown {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    return database.prepare("select value from cursors where name = 'name'").get()?.value;
  } finally {
    database.close();
  }
}
