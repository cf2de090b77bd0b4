import { execFile } from "node:child_process";
import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { openStore } from "../src/store/sqlite/open-store.ts";
import type { Benchmark } from "./benchmark.ts";
import { BusyQueue } from "./busy-queue.ts";
import { clusteredImpact } from "./impact.ts";
import type { Loading } from "./queue-loader.ts";
import { node } from "./server-process.ts";
import { toRow } from "./statistics.ts";

const length = 10_000;
const inputs = 3_000;
const runs = 5;

const about = `a queue of ${length} pull requests with 1,000 targets each, in parallel mode, out of SQLite: snapshot, targets, and what
came after the snapshot.
load         seconds from opening the database until the queue can decide; required: at most 2
load-memory  the most that the process ever had resident; required: at most 600 MB
Floor: the same rows read by bare node:sqlite, and dropped.`;

export const loadQueue: Benchmark = {
  about,
  async *measure(tell) {
    await using directory = await mkdtempDisposable(join(tmpdir(), "trainyard-bench-"));
    const file = join(directory.path, "trainyard.db");
    tell(`filling a queue, and making it work off ${inputs} inputs`);
    await fill(file);
    const loads: Loading[] = [];
    const floors: Loading[] = [];
    for (let run = 0; run <= runs; run++) {
      const floor = await spawnLoader("rows", file);
      const load = await spawnLoader("queue", file);
      if (load.entries < length * 0.9) throw new Error(`only ${load.entries} entries were loaded`);
      if (run === 0) continue;
      floors.push(floor);
      loads.push(load);
    }
    const figures = (key: "seconds" | "megabytes") => ({
      values: loads.map((one) => one[key]),
      floors: floors.map((one) => one[key]),
    });
    yield toRow("load", "s", figures("seconds"));
    yield toRow("load-memory", "MB", figures("megabytes"));
  },
};

async function fill(file: string): Promise<void> {
  const store = await openStore(file);
  const queue = new BusyQueue(store.queues, clusteredImpact(length));
  await queue.fill(length, { mode: "parallel", concurrency: 20 });
  for (let i = 0; i < inputs; i++) await queue.step();
  await queue.rest();
  await store.close();
}

async function spawnLoader(what: "queue" | "rows", file: string): Promise<Loading> {
  const [command, ...options] = node;
  const args = [...options, join(import.meta.dirname, "queue-loader.ts"), what, file];
  return JSON.parse((await promisify(execFile)(command, args)).stdout);
}
