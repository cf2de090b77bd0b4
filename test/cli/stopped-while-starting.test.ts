import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import type { Sandbox } from "../../tools/sandbox/sandbox.ts";
import { startSandbox } from "../../tools/sandbox/start-sandbox.ts";
import { processesWith } from "../lab/processes-of.ts";
import { eventually } from "../scenarios/eventually.ts";
import { Trainyard } from "./run-trainyard.ts";

interface Moment {
  readonly since: "start" | "first file";
  readonly ms: number;
}

/**
 * From before Node.js runs any code until the service is ready. The first file is the database, or a
 * temporary directory.
 */
const moments: readonly Moment[] = [
  ...[0, 80, 400].map((ms) => ({ since: "start", ms }) as const),
  ...[0, 20, 250, 2_000].map((ms) => ({ since: "first file", ms }) as const),
];
const timesOnly = [0, 400, 1_500].map((ms) => ({ since: "start", ms }) as const);

let directory: string;
let sandbox: Sandbox | null = null;
const started: Trainyard[] = [];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "trainyard-stop-"));
});
afterEach(async () => {
  for (const { child } of started.splice(0)) child.kill("SIGKILL");
  await sandbox?.close();
  sandbox = null;
  await rm(directory, { recursive: true, force: true });
});

test("a service that is stopped at any moment of its start exits cleanly", async () => {
  sandbox = await startSandbox();
  for (const moment of moments) {
    await stopAt(moment, ["serve"], { ...sandbox.env, PORT: "0" });
    for (const name of await list()) await rm(join(directory, name));
  }
});

test("a service in setup mode that is stopped at any moment of its start exits cleanly", async () => {
  const env = { PORT: "0", TRAINYARD_PUBLIC_URL: "https://queue.example" };
  for (const moment of timesOnly) await stopAt(moment, ["serve"], env);
});

test("a sandbox that is stopped at any moment of its start exits cleanly and leaves no files", async () => {
  for (const moment of moments.slice(3)) await stopAt(moment, ["sandbox"], {});
});

test("a demo that is stopped at any moment of its start exits cleanly and leaves no files or processes", async () => {
  for (const moment of moments.slice(3)) {
    await stopAt(moment, ["demo", "--exit"], {});
    await untilGone();
  }
});

/** Waits until no process of a command is left. The system may take a moment to reap ended processes. */
async function untilGone(): Promise<void> {
  let left: string[] = [];
  await eventually(
    async () => {
      left = await processesWith(directory);
      return left.length === 0 ? true : null;
    },
    () => `these processes to be gone: ${left.join(", ")}`,
  );
}

function list(): Promise<string[]> {
  return readdir(directory);
}

/**
 * Starts a command and stops it at the given moment. Expects a clean exit, or that the command had not
 * started anything yet.
 */
async function stopAt(
  { since, ms }: Moment,
  args: readonly string[],
  env: Record<string, string>,
  left: readonly string[] = [],
): Promise<Trainyard> {
  const before = await list();
  const command = new Trainyard(args, { ...env, HOST: "127.0.0.1", TMPDIR: directory }, directory);
  started.push(command);
  while (since === "first file" && (await list()).length === before.length) await sleep(2);
  await sleep(ms);
  const { code, signal, err } = await command.end();
  if (signal === "SIGTERM") {
    expect({ since, ms, err, files: await list() }).toEqual({ since, ms, err: "", files: before });
    return command;
  }
  expect({ since, ms, code, signal, err: /Error/.test(err) ? err : "" }).toEqual({
    since,
    ms,
    code: 0,
    signal: null,
    err: "",
  });
  const files = (await list()).filter((name) => !name.startsWith("trainyard.db"));
  expect({ since, ms, files }).toEqual({ since, ms, files: left });
  return command;
}
