import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { withClient } from "../../tools/lab/postgres.ts";
import type { Sandbox } from "../../tools/sandbox/sandbox.ts";
import { startSandbox } from "../../tools/sandbox/start-sandbox.ts";
import { anotherDatabase } from "../postgres/postgres-database.ts";
import { Trainyard } from "./run-trainyard.ts";

let directory: string;
let sandbox: Sandbox;
let databaseUrl: string;
const started: Trainyard[] = [];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "trainyard-newer-"));
  sandbox = await startSandbox();
  databaseUrl = await anotherDatabase();
});
afterEach(async () => {
  for (const service of started.splice(0)) service.child.kill("SIGKILL");
  await sandbox.close();
  await rm(directory, { recursive: true, force: true });
});

async function startReplica(): Promise<Trainyard> {
  const own = { PORT: "0", HOST: "127.0.0.1", LOG_FORMAT: "json", DATABASE_URL: databaseUrl };
  const service = new Trainyard(["serve"], { ...sandbox.env, ...own }, directory);
  started.push(service);
  await service.says(/"url":"http:/);
  return service;
}

test("all replicas of an earlier version stop when a newer one migrates the database, and say why", async () => {
  const replicas = [await startReplica(), await startReplica()];
  await withClient(databaseUrl, (client) =>
    client.query("insert into kysely_migration values ('9999-time-travel', '2030-01-01T00:00:00.000Z')"),
  );
  for (const replica of replicas) {
    const { code, err } = await replica.finished;
    expect(code).toBe(1);
    expect(err).toMatch(/"code":"SCHEMA_NEWER".*stopping, because .*9999-time-travel/);
  }
});
