import { generateKeyPairSync } from "node:crypto";
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { zstdDecompressSync } from "node:zlib";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { createLog } from "../../src/cli/log.ts";
import { type RunningServer, startServer } from "../../src/cli/start-server.ts";
import { createClient } from "../../src/client/client.ts";
import { parseSettings } from "../../src/settings/settings.ts";
import { openStore } from "../../src/store/sqlite/open-store.ts";
import { issueToken } from "../../tools/lab/service/service-process.ts";
import { Trainyard } from "../cli/run-trainyard.ts";
import { anotherDatabase } from "../postgres/postgres-database.ts";
import { readAnswers } from "./earlier/read-answers.ts";

const folder = join(import.meta.dirname, "earlier");
const versions = globSync("*.db.zst", { cwd: folder }).map((name) => name.replace(".db.zst", ""));

interface Recorded {
  /** In milliseconds since the epoch. */
  readonly recordedAt: number;
  /** The service's address in its answers. */
  readonly publicUrl: string;
  readonly queue: Parameters<typeof readAnswers>[1];
  /** The last one waits in the queue, which is paused. */
  readonly pullRequests: readonly number[];
  readonly answers: Awaited<ReturnType<typeof readAnswers>>;
}

let directory: string;
let server: RunningServer | null = null;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "trainyard-earlier-"));
});
afterEach(async () => {
  await server?.close();
  server = null;
  await rm(directory, { recursive: true, force: true });
});

/** Starts this version on an earlier version's database, at the time when it was recorded. Its GitHub is gone. */
async function start(databaseUrl: string, { recordedAt, publicUrl, queue }: Recorded) {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const parsed = parseSettings({
    APP_ID: "1",
    PRIVATE_KEY: privateKey.export({ type: "pkcs1", format: "pem" }).toString(),
    WEBHOOK_SECRET: "a secret of this test",
    GHE_HOST: queue.repo.host,
    GHE_PROTOCOL: "http",
    HOST: "127.0.0.1",
    PORT: "0",
    DATABASE_URL: databaseUrl,
    LOG_LEVEL: "silent",
    TRAINYARD_PUBLIC_URL: publicUrl,
  });
  if ("issues" in parsed || !parsed.settings.app) throw new Error("the settings are wrong");
  const began = Date.now();
  const clock = { now: () => recordedAt + Date.now() - began };
  server = await startServer(parsed.settings, parsed.settings.app, createLog(parsed.settings), clock);
  const token = await issueToken(databaseUrl, queue.repo.owner, "admin");
  return createClient({ baseUrl: server.url, token });
}

test.each(
  versions.flatMap((version) => [
    { version, database: "sqlite" },
    { version, database: "postgres" },
  ]),
)(
  "a database of version $version, on $database, has lost nothing in this version",
  async ({ version, database }) => {
    const recorded = JSON.parse(readFileSync(join(folder, `${version}.json`), "utf8")) as Recorded;
    const file = join(directory, "trainyard.db");
    writeFileSync(file, zstdDecompressSync(readFileSync(join(folder, `${version}.db.zst`))));
    let databaseUrl = `sqlite:${file}`;
    if (database === "postgres") {
      const migrating = { DATABASE_URL: databaseUrl };
      expect(await new Trainyard(["migrate"], migrating, directory).finished).toMatchObject({ code: 0 });
      databaseUrl = await anotherDatabase();
      const copying = ["copy", "--from", `sqlite:${file}`, "--to", databaseUrl];
      expect(await new Trainyard(copying, {}, directory).finished).toMatchObject({ code: 0 });
    }
    const { queue, pullRequests, answers } = recorded;
    let client = await start(databaseUrl, recorded);
    // A later version may answer more.
    expect(await readAnswers(client, queue, pullRequests)).toMatchObject(answers);

    await server?.close();
    server = null;
    const store = await openStore(databaseUrl);
    const found = await store.history.findBySha(await store.history.queueIds(), "", 100);
    await store.close();
    const kinds = [...found.runs, ...found.entries].map(({ is }) => is);
    expect(new Set(kinds)).toEqual(new Set(["tested_commit", "tested_tree", "merged_commit", "head"]));

    client = await start(databaseUrl, recorded);
    const waiting = pullRequests.at(-1) ?? 0;
    await client.cancelPullRequest({ ...queue, pr: { number: waiting } });
    const entry = await client.getSubmittedPullRequest({ ...queue, pr: { number: waiting } });
    expect(entry).toMatchObject({ state: "cancelled", reason: "CANCELLED_BY_API" });
  },
);
