import { mkdtempDisposable, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { openStore } from "../src/store/sqlite/open-store.ts";
import type { Benchmark, Row } from "./benchmark.ts";
import { BusyQueue, queueId as template, repo as templateRepo } from "./busy-queue.ts";
import { HealthWatch } from "./health-watch.ts";
import { baseOf, type LocalGitHub, repository } from "./local-github.ts";
import { startServerProcess } from "./server-process.ts";
import { createToken, startProcess } from "./service-under-load.ts";
import { residentBytes } from "./spawn-until-ready.ts";
import { percentile, toRow } from "./statistics.ts";

const [queues, events] = [1_000, 1_072];
const later = 15;
const pauseMs = 500;
/** A service that has used less than this share of a core for three seconds has nothing more to do. */
const restShare = 0.05;
const watchedMs = 20_000;

const about = `what a Prometheus server costs the service: ${queues} queues on SQLite that have ended ${events} events each, of which nothing was counted yet.
metrics-start          seconds of CPU from the start until the service is at rest. Floor: with one queue, as in the rows below
metrics-start-memory   resident memory then
metrics-start-healthz  p99 of /healthz in the first ${watchedMs / 1000} seconds
metrics-first          CPU of the first scrape
metrics-later          CPU of each of ${later} later ones; required: at most 200 ms
metrics-memory         resident memory more than before the first; required: at most 30 MB
metrics-healthz        p99 of /healthz meanwhile; required: at most 50 ms
metrics-bytes          an answer, without compression`;

interface Measured {
  readonly start: number;
  readonly startMemory: number;
  readonly startHealth: readonly number[];
  readonly first: number;
  readonly later: readonly number[];
  readonly memory: number;
  readonly health: readonly number[];
  readonly bytes: number;
}

export const metrics: Benchmark = {
  about,
  async *measure(tell) {
    const floor = await measureService(1, tell);
    const own = await measureService(queues, tell);
    const row = (
      name: string,
      unit: string,
      read: (of: Measured) => number,
      singles?: readonly number[],
    ): Row =>
      toRow(`metrics-${name}`, unit, {
        values: [read(own)],
        floors: [read(floor)],
        ...(singles ? { singles } : {}),
      });
    yield row("start", "s", ({ start }) => start);
    yield row("start-memory", "MB", ({ startMemory }) => startMemory);
    yield row("start-healthz", "ms", ({ startHealth }) => percentile(startHealth, 0.99), own.startHealth);
    yield row("first", "ms", ({ first }) => first);
    yield toRow("metrics-later", "ms", { values: [...own.later], floors: [...floor.later] });
    yield row("memory", "MB", ({ memory }) => memory);
    yield row("healthz", "ms", ({ health }) => percentile(health, 0.99), own.health);
    yield row("bytes", "MB", ({ bytes }) => bytes);
  },
};

async function measureService(count: number, tell: (progress: string) => void): Promise<Measured> {
  await using resources = new AsyncDisposableStack();
  const { path } = resources.use(await mkdtempDisposable(join(tmpdir(), "trainyard-bench-")));
  const github = resources.use(await startServerProcess<LocalGitHub>("local-github.ts", "1", String(count)));
  const { host, env } = github.announced;
  const file = join(path, "trainyard.db");
  tell(`filling a database with ${count} queues`);
  await fill(file, host, count);
  const databaseUrl = `sqlite:${file}`;
  const token = await createToken(databaseUrl);
  const service = await startProcess({ ...env, GHE_HOST: host, DATABASE_URL: databaseUrl }, path);
  resources.defer(() => service.stop());
  tell("waiting until the service is at rest");
  const startWatch = await HealthWatch.begin(service.url);
  await sleep(watchedMs);
  const startHealth = await startWatch.end();
  const start = (await untilAtRest(service.pid)) / 1000;
  const before = (await residentBytes(service.pid)) / 1e6;
  const watch = await HealthWatch.begin(service.url);
  const scrape = async () => {
    const began = await cpuMs(service.pid);
    const headers = { "x-api-token": token, "accept-encoding": "gzip" };
    const answer = await fetch(`${service.url}/v1/getMergeQueueMetrics`, { headers });
    const text = await answer.text();
    if (!answer.ok || text.split("\nmq_depth_current{").length <= count) throw new Error(text.slice(0, 500));
    return { ms: (await cpuMs(service.pid)) - began, bytes: text.length };
  };
  tell("scraping");
  const first = await scrape();
  const further: number[] = [];
  for (let run = 0; run < later; run++) {
    await sleep(pauseMs);
    further.push((await scrape()).ms);
  }
  const health = await watch.end();
  const memory = (await residentBytes(service.pid)) / 1e6 - before;
  return {
    start,
    startMemory: before,
    startHealth,
    first: first.ms,
    later: further,
    memory,
    health,
    bytes: first.bytes / 1e6,
  };
}

/** Puts a queue with a past into a database, and copies of it on other branches. No pull request is in any of them. */
async function fill(file: string, host: string, count: number): Promise<void> {
  const store = await openStore(file);
  const queue = new BusyQueue(store.queues, () => []);
  await queue.fill(8, { concurrency: 4 });
  while ((await queue.countEvents()) < events) await queue.step();
  await queue.empty();
  await queue.rest();
  await store.close();
  using db = new DatabaseSync(file);
  db.exec("delete from outbox; delete from tallies; pragma foreign_keys = off; begin");
  const places = Array.from({ length: count }, (_, index) => ({
    id: index === 0 ? template : `bench-queue-${index}`,
    branch: baseOf(index, count),
  }));
  for (const { id, branch } of places.toReversed()) {
    // The place of the queue is in its first event and in its snapshots.
    const placed = (column: string) =>
      [
        [`"${template}"`, `"${id}"`],
        [`"${templateRepo.name}"`, `"${repository.name}"`],
        [`"host":"${templateRepo.host}"`, `"host":"${host}"`],
        [`"branch":"main"`, `"branch":"${branch}"`],
      ].reduce((text, [from, to]) => `replace(${text}, '${from}', '${to}')`, column);
    const copies = id !== template;
    const queuePlace = `'${host}', '${repository.owner}', '${repository.name}', '${host}/${repository.owner}/${repository.name}', '${branch}'`;
    if (copies)
      db.exec(`
        insert into queues select '${id}', ${queuePlace}, installation_id, created_at, deleted, repository_id from queues where id = '${template}';
        insert into events select '${id}', seq, at, case seq when 1 then ${placed("content")} else content end from events where queue_id = '${template}';
        insert into snapshots select '${id}', seq, ${placed("state")} from snapshots where queue_id = '${template}';`);
    else
      db.exec(`
        update queues set (host, owner, name, repo_key, branch) = (${queuePlace}), repository_id = null where id = '${template}';
        update events set content = ${placed("content")} where queue_id = '${template}' and seq = 1;
        update snapshots set state = ${placed("state")} where queue_id = '${template}';`);
  }
  db.exec("commit");
}

/** The CPU time of all threads of a process so far, in milliseconds. Linux only. */
async function cpuMs(pid: number): Promise<number> {
  const fields = (await readFile(`/proc/${pid}/stat`, "utf8")).split(") ").at(-1)?.split(" ") ?? [];
  // utime and stime, in ticks of 10 ms. Source: proc_pid_stat(5).
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** Returns the CPU time when the process does nothing more, in milliseconds. */
async function untilAtRest(pid: number): Promise<number> {
  for (let quiet = 0, before = await cpuMs(pid); ; ) {
    await sleep(1_000);
    const now = await cpuMs(pid);
    quiet = now - before < restShare * 1_000 ? quiet + 1 : 0;
    if (quiet >= 3) return now;
    before = now;
  }
}
