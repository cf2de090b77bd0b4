import { generateKeyPairSync } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { ownDatabase } from "../../../src/store/sqlite/own-database.ts";
import { sqliteSchema } from "../../../src/store/sqlite/sqlite-schema.ts";
import { anotherDatabase } from "../../postgres/postgres-database.ts";
import { createSqliteFile, type SqliteFile } from "../../store/sqlite-file.ts";
import { parseDocumented } from "../documented.ts";
import { type Finished, Trainyard } from "../run-trainyard.ts";

/** A line for each migration. */
const lines = (word: string) =>
  Object.keys(sqliteSchema.migrations)
    .map((name) => `${word}  ${name}\n`)
    .join("");
const quiet = { debug() {}, info() {}, warn() {}, error() {} };

let file: SqliteFile;
beforeEach(async () => {
  file = await createSqliteFile();
});
afterEach(() => file.remove());

function run(args: readonly string[], databaseUrl = file.path): Promise<Finished> {
  return new Trainyard(args, { DATABASE_URL: databaseUrl }, file.directory).finished;
}

test("trainyard migrate shows pending migrations, and applies them once", async () => {
  const check = await run(["migrate", "--check"]);
  expect(check).toMatchObject({ code: 1, out: lines("pending"), err: "" });
  expect(existsSync(file.path)).toBe(false);
  const applied = await run(["migrate"]);
  expect(applied).toMatchObject({ code: 0, err: "" });
  expect(applied.out).toContain(`${lines("applied")}The database ${file.path} is up to date.`);
  const again = await run(["migrate", "--dry-run"]);
  expect(again).toMatchObject({ code: 0, out: `The database ${file.path} is up to date.\n`, err: "" });

  const database = join(file.directory, "other.db");
  const names = Object.keys(sqliteSchema.migrations);
  const pending = await run(["migrate", "--check", "--json"], database);
  expect(pending).toMatchObject({ code: 1, err: "" });
  expect(parseDocumented("migrate", pending.out)).toMatchObject({ database, pending: names, applied: [] });
  const { out } = await run(["migrate", "--json"], database);
  expect(parseDocumented("migrate", out)).toMatchObject({ database, pending: [], applied: names });
});

test("on PostgreSQL, two processes that migrate at the same time apply each migration once", async () => {
  const databaseUrl = await anotherDatabase("template0");
  expect(await run(["migrate", "--check"], databaseUrl)).toMatchObject({ code: 1 });
  const ownership = await ownDatabase(databaseUrl, {
    ...{ waitMs: 0, log: quiet, mode: "shared" },
    stop: new AbortController().signal,
  });
  const refused = await run(["migrate"], databaseUrl);
  expect(refused).toMatchObject({
    code: 1,
    err: expect.stringMatching(/^the PostgreSQL database is in use by/),
  });
  if (ownership.kind === "owned") ownership.release();
  const both = await Promise.all([run(["migrate"], databaseUrl), run(["migrate"], databaseUrl)]);
  expect(both.map(({ code }) => code)).toEqual([0, 0]);
  expect(both.filter(({ out }) => out.includes("applied"))).toHaveLength(1);
  expect(await run(["migrate", "--check"], databaseUrl)).toMatchObject({ code: 0 });
});

test("every command refuses the schema of a newer version in one line that says what to do", async () => {
  await (await file.open()).close();
  change("insert into kysely_migration values ('9999-time-travel', '2030-01-01T00:00:00.000Z')");
  for (const args of [["migrate", "--check"], ["migrate"], ["token", "list"]]) {
    const { code, out, err } = await run(args);
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toMatch(
      /^the database was used by a newer .*9999-time-travel.*; run that version, .*\(SCHEMA_NEWER\)\n$/,
    );
  }
});

test("a failure of the database is an object with --json, also if the command is about something else", async () => {
  await (await file.open()).close();
  change("drop table test_numbers");
  const { code, out, err } = await run(["token", "list", "--json"]);
  expect({ code, out }).toEqual({ code: 1, out: "" });
  expect(parseDocumented("failure", err)).toMatchObject({ code: "SCHEMA_INCOMPLETE" });
});

test("a database that lacks tables is refused with their names", async () => {
  await (await file.open()).close();
  change("drop table test_numbers; alter table inbox drop column wanted_at");
  const { code, err } = await run(["migrate"]);
  expect(code).toBe(1);
  expect(err).toMatch(
    /^the database lacks inbox\.wanted_at, test_numbers, because .*\(SCHEMA_INCOMPLETE\)\n$/,
  );
});

test("trainyard serve logs the reason for which it refuses a schema", async () => {
  await (await file.open()).close();
  change("drop table test_numbers");
  const app = { APP_ID: "1", PRIVATE_KEY: privateKey(), WEBHOOK_SECRET: "a secret of some length" };
  const service = new Trainyard(["serve"], { DATABASE_URL: file.path, PORT: "0", ...app }, file.directory);
  const { code, err } = await service.finished;
  expect(code).toBe(1);
  expect(err).toMatch(/"code":"SCHEMA_INCOMPLETE".*the database lacks test_numbers/);
});

function change(statements: string): void {
  const database = new DatabaseSync(file.path);
  database.exec(statements);
  database.close();
}

function privateKey(): string {
  return generateKeyPairSync("rsa", {
    modulusLength: 2048,
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
    publicKeyEncoding: { type: "spki", format: "pem" },
  }).privateKey;
}
