import { mkdtempDisposable, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { constants, zstdCompressSync } from "node:zlib";
import { writeBackup } from "../src/store/backup/write-backup.ts";
import { parseDatabaseUrl } from "../src/store/sqlite/database-url.ts";
import { readAnswers } from "../test/store/earlier/read-answers.ts";
import { findEntry } from "../tools/lab/demo/follow-entries.ts";
import { type RunningDemo, runDemo } from "../tools/lab/demo/run-demo.ts";
import { ServiceProcess, serviceEnvironment } from "../tools/lab/service/service-process.ts";

/**
 * Records a database as this version writes it, and what the API answers from it, in `test/store/earlier/`. Later versions have to
 * read it (`test/store/earlier-stores.test.ts`). Record one for each release that changes the schema or the events, and keep the
 * earlier ones.
 *
 *     node scripts/record-store.ts VERSION
 */
const [version] = process.argv.slice(2);
if (version === undefined) throw new Error("Say for which version: node scripts/record-store.ts VERSION");
const file = join(import.meta.dirname, "..", "test", "store", "earlier", version);

/** Leaves a pull request in the queue, which is paused, and records what the queue holds. */
async function record(demo: RunningDemo, databaseUrl: string, directory: string): Promise<void> {
  const { client, queue, pullRequests } = demo;
  const invited = Number(/\d+$/.exec(demo.invitation ?? "")?.[0]);
  await client.updateQueue({ ...queue, state: "paused" });
  await client.submitPullRequest({ ...queue, pr: { number: invited } });
  // GitHub computes whether it is mergeable.
  const isMergeable = async () =>
    (await findEntry(client, queue, invited))?.readiness.gitHubMergeability === "mergeable";
  while (!(await isMergeable())) await sleep(100);
  const numbers = [...pullRequests.map(({ number }) => number), invited];
  const recorded = {
    recordedAt: Date.now(),
    publicUrl: new URL(demo.page).origin,
    queue,
    pullRequests: numbers,
    answers: await readAnswers(client, queue, numbers),
  };
  await writeFile(`${file}.json`, `${JSON.stringify(recorded, null, 2)}\n`);
  const location = parseDatabaseUrl(databaseUrl);
  if (location.kind !== "sqlite") throw new Error("the demo's database is not a file");
  const backup = join(directory, "backup.db");
  await writeBackup(location.path, backup);
  const level = { params: { [constants.ZSTD_c_compressionLevel]: 19 } };
  await writeFile(`${file}.db.zst`, zstdCompressSync(await readFile(backup), level));
}

await using place = await mkdtempDisposable(join(tmpdir(), "trainyard-record-"));
const databaseUrl = `sqlite:${join(place.path, "trainyard.db")}`;
await runDemo({
  ...{ pullRequests: 12, seed: 1, mergeMethod: "squash", concurrency: 4, mode: "parallel", batch: false },
  ...{ ciDurationMs: [300, 900], dropWebhooks: 0, port: null, invite: true },
  deploy: async ({ sandbox, directory, port }) => ({
    databaseUrl,
    service: new ServiceProcess(
      serviceEnvironment(sandbox, port, databaseUrl),
      join(directory, "service.log"),
    ),
  }),
  afterwards: (demo) => record(demo, databaseUrl, place.path),
});
console.log(`Recorded ${file}.db.zst and .json`);
