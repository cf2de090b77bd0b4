import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { openPostgresStore } from "../src/store/postgres/open-postgres-store.ts";
import type { Store } from "../src/store/sqlite/open-store.ts";
import { LocalPostgres } from "../tools/lab/postgres.ts";
import type { Benchmark } from "./benchmark.ts";
import { NaiveQueue } from "./naive-queue.ts";
import { toRow } from "./statistics.ts";

const replicas = 3;
const streams = 300;
const tasksAtOnce = 16;
/** Tasks that wait at any time. */
const waiting = 600;
const sliceMs = 10_000;
const slices = 6;
const floorMs = 10_000;

const about = `tasks added, claimed and settled on PostgreSQL by ${replicas} replicas with ${tasksAtOnce} tasks at once each, in ${streams} streams,
for ${(slices * sliceMs) / 1000} s, while another session keeps a REPEATABLE READ transaction open, so that no dead row can be removed.
claim        tasks a second, the median of slices of ${sliceMs / 1000} s; required: at least 800
claim-last   the same in the last slice: what the dead rows cost
Floor: three sessions that add and delete as many rows with FOR UPDATE SKIP LOCKED, unordered, without that session.`;

export const claim: Benchmark = {
  about,
  async *measure(tell) {
    await using directory = await mkdtempDisposable(`${tmpdir()}/trainyard-bench-`);
    const server = await LocalPostgres.create(directory.path);
    try {
      tell("floor");
      const floor = await measureFloor(`${server.url}/postgres`);
      const databaseUrl = await server.createDatabase("claims");
      const stores = await openStores(databaseUrl);
      await using _old = await oldSnapshot(databaseUrl);
      const rates: number[] = [];
      const work = new Work(stores);
      for (let slice = 1; slice <= slices; slice++) {
        rates.push(await work.during(sliceMs));
        tell(`slice ${slice} of ${slices}: ${Math.round(rates.at(-1) ?? 0)} tasks/s`);
      }
      await work.stop();
      for (const store of stores) await store.close();
      const singles = work.claimMs;
      yield toRow("claim", "tasks/s", { values: rates, floors: [floor], singles });
      yield toRow("claim-last", "tasks/s", { values: rates.slice(-1), floors: [floor], singles });
    } finally {
      await server.stop();
    }
  },
};

/** Keeps the outbox filled, and empties it, with every store. */
class Work {
  readonly claimMs: number[] = [];
  readonly #stores: readonly Store[];
  readonly #loops: Promise<void>[];
  #settled = 0;
  #depth = 0;
  #added = 0;
  #isOver = false;

  constructor(stores: readonly Store[]) {
    this.#stores = stores;
    this.#loops = stores.flatMap((store, index) => [
      this.#fill(store),
      this.#empty(store, `replica ${index}`),
    ]);
  }

  /** Returns the tasks that were settled per second. */
  async during(ms: number): Promise<number> {
    const before = this.#settled;
    const began = performance.now();
    await Promise.race([sleep(ms), Promise.all(this.#loops)]);
    return ((this.#settled - before) * 1_000) / (performance.now() - began);
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#loops);
  }

  async #fill({ outbox }: Store): Promise<void> {
    while (!this.#isOver) {
      const missing = Math.min(50, Math.ceil((waiting - this.#depth) / this.#stores.length));
      if (missing <= 0) await sleep(5);
      this.#depth += Math.max(0, missing);
      await Promise.all(
        Array.from({ length: Math.max(0, missing) }, () => {
          const pr = ++this.#added;
          const task = { type: "observe_pull_request", queueId: "queue-1", pr } as const;
          return outbox.add({
            task,
            stream: `stream ${pr % streams}`,
            notBefore: Date.now(),
            coalesce: false,
          });
        }),
      );
    }
  }

  async #empty({ outbox }: Store, owner: string): Promise<void> {
    while (!this.#isOver) {
      const began = performance.now();
      const rows = await outbox.claim({ owner, now: Date.now(), leaseMs: 30_000, limit: tasksAtOnce });
      this.claimMs.push(performance.now() - began);
      await Promise.all(rows.map((row) => outbox.settle(row)));
      this.#settled += rows.length;
      this.#depth -= rows.length;
      if (rows.length === 0) await sleep(2);
    }
  }
}

async function openStores(databaseUrl: string): Promise<readonly Store[]> {
  const stores: Store[] = [];
  while (stores.length < replicas) stores.push(await openPostgresStore(databaseUrl));
  return stores;
}

/** A session that keeps seeing the rows of now. */
async function oldSnapshot(databaseUrl: string): Promise<AsyncDisposable> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query("begin isolation level repeatable read");
  await client.query("select count(*) from outbox");
  return { [Symbol.asyncDispose]: () => client.end() };
}

async function measureFloor(databaseUrl: string): Promise<number> {
  const queue = await NaiveQueue.create(databaseUrl, replicas, tasksAtOnce);
  const rate = await queue.during(floorMs);
  await queue.close();
  return rate;
}
