import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { Client } from "pg";
import { ownDatabase } from "../../../src/store/sqlite/own-database.ts";
import { buildNamedTest, testRepo } from "../../contract/build-test-upload.ts";
import { anotherDatabase } from "../../postgres/postgres-database.ts";
import { createSqliteFile, type SqliteFile } from "../../store/sqlite-file.ts";
import { parseDocumented } from "../documented.ts";
import { type Finished, Trainyard } from "../run-trainyard.ts";

const quiet = { debug() {}, info() {}, warn() {}, error() {} };
/** Several pages of a copy. */
const auditRows = 40_000;

let file: SqliteFile;
let url: string;
beforeEach(async () => {
  file = await createSqliteFile();
  url = await anotherDatabase("template0");
});
afterEach(() => file.remove());

const start = (from: string, to: string, more: readonly string[] = [], env: Record<string, string> = {}) =>
  new Trainyard(["copy", "--from", from, "--to", to, ...more], env, file.directory);
const copy = (from: string, to: string, ...more: string[]): Promise<Finished> =>
  start(from, to, more).finished;

/** Rows of several kinds: text with the character 0, bytes, fractions, and ids of deleted rows. */
async function fillSource(): Promise<void> {
  const store = await file.open();
  await store.cursors.put("emp\0ty", "ü€😀");
  await store.meters.add([{ organisation: "acme", series: "merged", by: 0.125 }]);
  const { id } = await store.testResults.addRepository(testRepo);
  await store.testResults.know(
    id,
    ["one", "two", "three"].map((name) => buildNamedTest(name)),
    1_000,
  );
  await store.close();
  sqlite(`
    insert into replica_notes (sender, content) values ('a', 'b'), ('a', 'c');
    delete from replica_notes where id = 2;
    with recursive number (id) as (select 1 union all select id + 1 from number where id < ${auditRows})
    insert into audit_log (organisation, id, at, action, actor_key, content)
    select 'acme', id, id, 'createToken', 'me', '{}' from number`);
}

test("an unfinished copy is refused by every other command, and continues when it is started again", async () => {
  await fillSource();
  const killed = start(file.path, url, [], await stopAfterAPage());
  while ((await copied()) === 0) await setTimeout(5);
  killed.child.kill("SIGKILL");
  await killed.finished;
  const rows = await copied();
  expect(rows).toBeLessThan(auditRows);
  const check = await new Trainyard(["migrate", "--check"], { DATABASE_URL: url }, file.directory).finished;
  expect(check).toMatchObject({
    code: 1,
    err: expect.stringMatching(/unfinished copy.*\(COPY_UNFINISHED\)/),
  });

  const { code, out, err } = await copy(file.path, url);
  expect({ code, out }).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^Everything was copied, and both/),
  });
  expect(err).toMatch(/^continuing an interrupted copy\n/);
  expect(err).toContain(`audit_log: ${auditRows} rows are equal (sha256 `);
  expect(await query("select count(*)::int as rows from audit_log")).toEqual([{ rows: auditRows }]);
  expect(await query("select name, value from cursors")).toEqual([{ name: "emp\u{fffd}ty", value: "ü€😀" }]);
  // The id of the deleted row is not given again.
  expect(await query("insert into replica_notes (sender, content) values ('a', 'd') returning id")).toEqual([
    { id: "3" },
  ]);
  expect(await copy(file.path, url)).toMatchObject({
    ...{ code: 1, err: expect.stringMatching(/^the target is not empty: it has the table /) },
  });

  const back = join(file.directory, "back.db");
  const json = await copy(url, back, "--json");
  expect(json).toMatchObject({ code: 0, err: expect.stringMatching(/^audit_log: \d+ rows are equal/m) });
  expect(parseDocumented("copy", json.out)).toMatchObject({
    ...{
      to: back,
      tables: { audit_log: { rows: auditRows, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) } },
    },
  });
  expect(json.out).not.toContain(new URL(url).password || "postgres://");
  const copiedBack = new DatabaseSync(back);
  expect(copiedBack.prepare("select seq from sqlite_sequence where name = 'replica_notes'").get()).toEqual({
    seq: 3,
  });
  copiedBack.close();
});

test("a copy is refused while a service uses either database, and into another application's database", async () => {
  await (await file.open()).close();
  const stop = new AbortController().signal;
  for (const used of [file.path, url]) {
    const ownership = await ownDatabase(used, { waitMs: 0, log: quiet, stop });
    expect(await copy(file.path, url)).toMatchObject({
      ...{
        code: 1,
        err: expect.stringMatching(/is in use by another .*; stop it first \(DATABASE_IN_USE\)\n$/),
      },
    });
    if (ownership.kind === "owned") ownership.release();
  }
  await query("create table customers (id int)");
  expect(await copy(file.path, url)).toMatchObject({
    ...{
      code: 1,
      err: "the target is not empty: it has the table customers, with other data; use an empty database (COPY_TARGET_NOT_EMPTY)\n",
    },
  });
  const missing = await copy(join(file.directory, "none.db"), url, "--json");
  expect(missing).toMatchObject({ code: 1, out: "" });
  expect(parseDocumented("failure", missing.err)).toMatchObject({
    ...{ code: "DATABASE_MISSING", detail: expect.stringMatching(/^there is no database at /) },
  });
});

/** Returns the environment of a copy that waits for ever before the second page of the audit log. */
async function stopAfterAPage(): Promise<Record<string, string>> {
  const preload = join(file.directory, "stop.mjs");
  await writeFile(
    preload,
    `import pg from ${JSON.stringify(import.meta.resolve("pg"))};
    const { query } = pg.Client.prototype;
    let pages = 0;
    pg.Client.prototype.query = function (...values) {
      const text = values[0]?.text ?? values[0];
      if (/^insert into "audit_log"/.test(text) && ++pages > 1) return new Promise(() => {});
      return query.apply(this, values);
    };`,
  );
  return { NODE_OPTIONS: `--import ${pathToFileURL(preload)}` };
}

async function copied(): Promise<number> {
  const rows = await query("select copied from trainyard_copy where name = 'audit_log'").catch(() => []);
  return Number(rows[0]?.copied ?? 0);
}

async function query(text: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

function sqlite(statements: string): void {
  const database = new DatabaseSync(file.path);
  database.exec(statements);
  database.close();
}
