import { spawn } from "node:child_process";
import { existsSync, mkdirSync, openSync } from "node:fs";
import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { Client } from "pg";
import { openPostgresStore } from "../../src/store/postgres/open-postgres-store.ts";

/** Long enough for a busy machine to create and start a server. */
const waitMs = 300_000;
const lookMs = 50;

/** The database that every other one is a copy of. It has the whole schema. */
export const template = "trainyard_template";

/**
 * The address of the server that all tests of a run share, without a database. The first test that needs it
 * starts it; the others wait for that.
 */
export async function postgresServer(): Promise<string> {
  const directory = process.env.TRAINYARD_TESTS_POSTGRES;
  if (directory === undefined) throw new Error("jest has not run test/runner/set-up.ts");
  if (takesLock(join(directory, "starting"))) await start(directory);
  const ready = join(directory, "ready");
  await until(() => existsSync(ready), directory);
  return await readFile(ready, "utf8");
}

export function databaseOn(server: string, name: string): string {
  return `${server}/${name}`;
}

async function start(directory: string): Promise<void> {
  const output = openSync(join(directory, "keeper.log"), "a");
  const script = join(import.meta.dirname, "keep-server.ts");
  const keeper = spawn(
    process.execPath,
    ["--disable-warning=ExperimentalWarning", script, directory, process.env.TRAINYARD_TESTS_PID ?? ""],
    { detached: true, stdio: ["ignore", output, output] },
  );
  keeper.unref();
  await writeFile(join(directory, "keeper.pid"), String(keeper.pid));
  const started = join(directory, "server.json");
  await until(() => existsSync(started), directory);
  const { url: server } = JSON.parse(await readFile(started, "utf8"));
  await execute(server, `create database ${template}`);
  await (await openPostgresStore(databaseOn(server, template))).close();
  await writeFile(join(directory, "ready.new"), server);
  await rename(join(directory, "ready.new"), join(directory, "ready"));
}

/** Runs a statement about databases, which must be outside of a transaction and of the database. */
export async function execute(server: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: databaseOn(server, "postgres") });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

function takesLock(directory: string): boolean {
  try {
    mkdirSync(directory);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

async function until(isDone: () => boolean, directory: string): Promise<void> {
  const end = performance.now() + waitMs;
  while (!isDone()) {
    if (performance.now() > end) {
      const log = await readFile(join(directory, "keeper.log"), "utf8").catch(() => "it was not started");
      throw new Error(`PostgreSQL was not ready after ${waitMs / 1_000} s: ${log}`);
    }
    await setTimeout(lookMs);
  }
}
