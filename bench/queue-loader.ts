/** Loads a queue in a fresh process, or reads the same rows without our code, and prints the time and memory that took. */
import { readFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { QueueRuntime } from "../src/service/runtime/queue-runtime.ts";
import { openStore } from "../src/store/sqlite/open-store.ts";
import { queueId } from "./busy-queue.ts";

/** The time and memory of one process. */
export interface Loading {
  readonly seconds: number;
  /** The peak resident memory. */
  readonly megabytes: number;
  readonly entries: number;
}

const [what, path = ""] = process.argv.slice(2);
const began = performance.now();
const entries = what === "rows" ? readRows(path) : await loadQueue(path);
const seconds = (performance.now() - began) / 1000;
const megabytes = (peakKibibytes() * 1024) / 1e6;
console.log(JSON.stringify({ seconds, megabytes, entries } satisfies Loading));

async function loadQueue(file: string): Promise<number> {
  const store = await openStore(file);
  const silent = () => undefined;
  const runtime = new QueueRuntime({
    store: store.queues,
    clock: { now: Date.now },
    ids: { next: () => crypto.randomUUID() },
    log: { debug: silent, info: silent, warn: silent, error: silent },
    pageUrl: () => null,
    pace: { publishMs: 0, mergeabilityMs: 0 },
  });
  const state = await runtime.state(queueId);
  await store.close();
  return [...state.entries.values()].filter(({ targets }) => targets !== null).length;
}

/** On Linux, `resourceUsage` starts with the parent's peak, so it is used only on other systems. */
function peakKibibytes(): number {
  if (process.platform !== "linux") return process.resourceUsage().maxRSS;
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1]);
}

/** Reads the bytes of the newest snapshot, of the events after it, and of the events that name the targets of its entries. */
function readRows(file: string): number {
  const database = new DatabaseSync(file, { readOnly: true });
  const snapshot = database.prepare("select seq, state from snapshots order by seq desc limit 1").get();
  const after = database.prepare("select content from events where seq > ?").all(snapshot?.seq ?? 0);
  const targeting = database.prepare(
    "select content from events where json_extract(content, '$.type') = 'entry_targeted'",
  );
  const rows = targeting.all();
  database.close();
  if (after.length === 0) throw new Error("there is nothing after the snapshot");
  return rows.length;
}
