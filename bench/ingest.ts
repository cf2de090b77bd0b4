import { mkdtempDisposable, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout } from "node:timers/promises";
import { gunzipSync, gzipSync } from "node:zlib";
import { SaxesParser } from "saxes";
import type { Benchmark, Row } from "./benchmark.ts";
import type { LocalGitHub } from "./local-github.ts";
import { LoopWatch } from "./loop-watch.ts";
import { reportOf, testsPerSuite } from "./made-up-report.ts";
import { PeakMemory } from "./peak-memory.ts";
import { readReport } from "./report.ts";
import { startServerProcess } from "./server-process.ts";
import { type ServiceUnderLoad, startService } from "./service-under-load.ts";
import { toRow } from "./statistics.ts";

const runs = 5;
const uploads = 8;
const connections = 2;
const suites = 670;
const largeSuites = 6_700;
/** Few enough failures for an upload to count as evidence. */
const fewFailures = 5;
/** The watch samples once per millisecond. */
const turnMs = 1;

/** The required maximum of each row; for a rate, the minimum. */
const bars: Readonly<Record<string, number>> = {
  ingest: 33_333,
  "ingest-large": 1_000,
  "ingest-large-memory": 150,
  "ingest-large-own-hold": 50,
  "ingest-large-first": 1_500,
  "ingest-large-first-memory": 150,
  "ingest-large-first-written": 100,
  "ingest-large-first-own-hold": 50,
};

const about = `results of tests on SQLite, from the last byte of a request to its verdict, over HTTP.
ingest        ${uploads} uploads of ${suites * testsPerSuite} tests by ${connections} connections, until all of them are evaluated; required: 33,333 results/s, goal 83,333
ingest-large  one upload of a report of 50 MB and ${largeSuites * testsPerSuite} tests that are known, milliseconds; required: at most 1,000
ingest-large-memory  by how many MB the process grows meanwhile, until it is evaluated; required: at most 150
ingest-large-own-hold  the longest hold of the event loop until it is evaluated, in milliseconds of its thread's processor time; required: at most 50
ingest-large-hold  the same by the clock, which includes the time in which other processes have the processor
ingest-large-first  the same of the first upload, which makes all of its tests known, to a service that was just started; required: at most 1,500
ingest-large-first-memory, ingest-large-first-own-hold, ingest-large-first-hold  as above, of the first upload
ingest-large-first-written, ingest-large-written  the MB that the service writes for it, until it is evaluated (Linux); required of the first: at most 100
Floor: of holds, a turn of the loop that does nothing. Else gunzip and the XML parser saxes alone, which keep nothing, for each upload; of memory, what npm start grows by reading the report alone.
It fails when a row does not reach what is required.`;

export const ingest: Benchmark = {
  about,
  async *measure(tell) {
    const missed: string[] = [];
    const judged = (row: Row) => {
      const bar = bars[row.name];
      const isMissed = bar !== undefined && (row.unit.endsWith("/s") ? row.value < bar : row.value > bar);
      if (isMissed) missed.push(`${row.name} is ${row.value} ${row.unit}, and ${bar} is required`);
      return row;
    };
    yield judged(await measureSmall(tell));
    for await (const row of measureLarge(tell)) yield judged(row);
    if (missed.length > 0) throw new Error(missed.join("; "));
  },
};

/** Starts a service, and returns functions that load and measure it. */
async function startRun(resources: AsyncDisposableStack) {
  const { path } = resources.use(await mkdtempDisposable(join(tmpdir(), "trainyard-bench-")));
  const github = resources.use(await startServerProcess<LocalGitHub>("local-github.ts", "1"));
  const { url, env } = github.announced;
  const watch = new LoopWatch(path);
  const service = resources.use(await startService(new URL(url).host, env, path, watch.env));
  const database = new DatabaseSync(join(path, "trainyard.db"), { readOnly: true });
  resources.defer(() => database.close());
  let run = 0;
  const upload = async (report: Buffer, count: number) => {
    const bodies = Array.from({ length: count }, (_, at) => service.results(run + at + 1, report));
    run += count;
    const singles: number[] = [];
    const began = performance.now();
    const sendThem = async () => {
      for (let next = bodies.pop(); next; next = bodies.pop()) singles.push(await send(next));
    };
    await Promise.all(Array.from({ length: connections }, sendThem));
    await untilEvaluated(database);
    return { ms: performance.now() - began, singles };
  };
  return {
    upload,
    memory: new PeakMemory(service.pid),
    written: () => megabytesWritten(service.pid),
    longestHold: () => watch.longest(service.pid),
  };
}

async function measureSmall(tell: (progress: string) => void): Promise<Row> {
  await using resources = new AsyncDisposableStack();
  const { upload } = await startRun(resources);
  const report = gzipSync(reportOf(suites, fewFailures));
  const [values, floors, singles]: [number[], number[], number[]] = [[], [], []];
  const results = suites * testsPerSuite;
  for (let at = 0; at <= runs; at++) {
    tell(at === 0 ? "warm-up" : `run ${at} of ${runs}`);
    const floorMs = parseAlone(report);
    const measured = await upload(report, uploads);
    if (at === 0) continue;
    floors.push((results / floorMs) * 1000);
    values.push(((uploads * results) / measured.ms) * 1000);
    singles.push(...measured.singles);
  }
  return toRow("ingest", "results/s", { values, floors, singles });
}

async function* measureLarge(tell: (progress: string) => void): AsyncGenerator<Row> {
  const large = gzipSync(reportOf(largeSuites, fewFailures));
  const [first, known] = [noFigures(), noFigures()];
  for (let at = 0; at <= runs; at++) {
    tell(
      at === 0
        ? "warm-up of the large one"
        : `large run ${at} of ${runs}, of a service that was just started`,
    );
    await using resources = new AsyncDisposableStack();
    const { upload, memory, written, longestHold } = await startRun(resources);
    const floor = await readReport("ours");
    for (const figures of [first, known]) {
      const floorMs = parseAlone(large);
      await memory.begin();
      const before = await written();
      await longestHold();
      const [single = Number.NaN] = (await upload(large, 1)).singles;
      const [megabytes, hold] = [await memory.growth(), await longestHold()];
      if (at === 0) continue;
      figures.holds.push(hold.ms);
      figures.ownHolds.push(hold.ownMs);
      figures.ms.push(single);
      figures.megabytes.push(megabytes);
      figures.written.push((await written()) - before);
      figures.floorMs.push(floorMs);
      figures.floorMegabytes.push(floor.megabytes);
    }
  }
  for (const [name, { ms, floorMs, megabytes, floorMegabytes, written, holds, ownHolds }] of [
    ["ingest-large", known],
    ["ingest-large-first", first],
  ] as const) {
    yield toRow(name, "ms", { values: ms, floors: floorMs });
    yield toRow(`${name}-memory`, "MB", { values: megabytes, floors: floorMegabytes });
    // The worst of all runs, not the median: each hold delays other requests.
    for (const [row, singles] of [
      [`${name}-own-hold`, ownHolds],
      [`${name}-hold`, holds],
    ] as const)
      yield toRow(row, "ms", { values: [Math.max(...singles)], floors: [turnMs], singles });
    // Storing the report itself is the minimum.
    yield toRow(`${name}-written`, "MB", { values: written, floors: written.map(() => large.length / 1e6) });
  }
}

type Figures = Record<
  "ms" | "floorMs" | "megabytes" | "floorMegabytes" | "written" | "holds" | "ownHolds",
  number[]
>;

function noFigures(): Figures {
  return { ms: [], floorMs: [], megabytes: [], floorMegabytes: [], written: [], holds: [], ownHolds: [] };
}

/** Returns how many megabytes a process has written. Source: proc_pid_io(5). */
async function megabytesWritten(pid: number): Promise<number> {
  const [, bytes] = /^write_bytes: (\d+)$/m.exec(await readFile(`/proc/${pid}/io`, "utf8")) ?? [];
  return Number(bytes) / 1e6;
}

async function send({ url, headers, body }: ReturnType<ServiceUnderLoad["results"]>): Promise<number> {
  const began = performance.now();
  const response = await fetch(url, { method: "POST", headers, body: new Uint8Array(body) });
  const answer = (await response.json()) as { verdict?: string; failed_count?: number };
  if (answer.verdict !== "failed" || answer.failed_count !== fewFailures)
    throw new Error(JSON.stringify(answer));
  return performance.now() - began;
}

async function untilEvaluated(database: DatabaseSync): Promise<void> {
  const open = database.prepare(`select (select count(*) from test_uploads where evaluated_at is null)
    + (select count(*) from test_uncounted_uploads) as uploads`);
  while (Number(open.get()?.uploads) > 0) await setTimeout(5);
}

/** Returns milliseconds. */
function parseAlone(gzipped: Buffer): number {
  const began = performance.now();
  const parser = new SaxesParser();
  let cases = 0;
  parser.on("opentag", ({ name }) => {
    if (name === "testcase") cases += 1;
  });
  const xml = gunzipSync(gzipped).toString();
  for (let at = 0; at < xml.length; at += 64 * 1024) parser.write(xml.slice(at, at + 64 * 1024));
  parser.close();
  if (cases === 0) throw new Error("the report holds no test");
  return performance.now() - began;
}
