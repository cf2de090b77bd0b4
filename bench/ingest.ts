import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout } from "node:timers/promises";
import { gunzipSync, gzipSync } from "node:zlib";
import { SaxesParser } from "saxes";
import type { Benchmark } from "./benchmark.ts";
import type { LocalGitHub } from "./local-github.ts";
import { reportOf, testsPerSuite } from "./made-up-report.ts";
import { startServerProcess } from "./server-process.ts";
import { type ServiceUnderLoad, startService } from "./service-under-load.ts";
import { toRow } from "./statistics.ts";

const runs = 5;
const uploads = 8;
const connections = 2;
const suites = 670;
const largeSuites = 6_700;
/** Few enough for an upload to be evidence. */
const fewFailures = 5;

const about = `results of tests on SQLite, from the last byte of a request to its verdict, over HTTP.
ingest        ${uploads} uploads of ${suites * testsPerSuite} tests by ${connections} connections, until all of them are evaluated; required: 33,333 results/s, goal 83,333
ingest-large  one upload of a report of 50 MB and ${largeSuites * testsPerSuite} tests, milliseconds; required: at most 1,000
Floor: gunzip and the XML parser alone, which keep nothing, for each upload.`;

export const ingest: Benchmark = {
  about,
  async *measure(tell) {
    await using resources = new AsyncDisposableStack();
    const { path } = resources.use(await mkdtempDisposable(join(tmpdir(), "trainyard-bench-")));
    const github = resources.use(await startServerProcess<LocalGitHub>("local-github.ts", "1"));
    const { url, env } = github.announced;
    const service = resources.use(await startService(new URL(url).host, env, path));
    const database = new DatabaseSync(join(path, "trainyard.db"), { readOnly: true });
    resources.defer(() => database.close());
    let run = 0;
    const measureUploads = async (report: Buffer, count: number) => {
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

    const report = gzipSync(reportOf(suites, fewFailures));
    const values: number[] = [];
    const floors: number[] = [];
    const singles: number[] = [];
    const results = suites * testsPerSuite;
    for (let at = 0; at <= runs; at++) {
      tell(at === 0 ? "warm-up" : `run ${at} of ${runs}`);
      const floorMs = parseAlone(report);
      const measured = await measureUploads(report, uploads);
      if (at === 0) continue;
      floors.push((results / floorMs) * 1000);
      values.push(((uploads * results) / measured.ms) * 1000);
      singles.push(...measured.singles);
    }
    yield toRow("ingest", "results/s", { values, floors, singles });

    const large = gzipSync(reportOf(largeSuites, fewFailures));
    const [largeValues, largeFloors]: [number[], number[]] = [[], []];
    for (let at = 0; at <= runs; at++) {
      tell(at === 0 ? "warm-up of the large one" : `large run ${at} of ${runs}`);
      const floorMs = parseAlone(large);
      const [single = Number.NaN] = (await measureUploads(large, 1)).singles;
      if (at === 0) continue;
      largeFloors.push(floorMs);
      largeValues.push(single);
    }
    yield toRow("ingest-large", "ms", { values: largeValues, floors: largeFloors });
  },
};

async function send({ url, headers, body }: ReturnType<ServiceUnderLoad["results"]>): Promise<number> {
  const began = performance.now();
  const response = await fetch(url, { method: "POST", headers, body: new Uint8Array(body) });
  const answer = (await response.json()) as { verdict?: string; failed_count?: number };
  if (answer.verdict !== "failed" || answer.failed_count !== fewFailures)
    throw new Error(JSON.stringify(answer));
  return performance.now() - began;
}

async function untilEvaluated(database: DatabaseSync): Promise<void> {
  const open = database.prepare("select count(*) as uploads from test_uploads where evaluated_at is null");
  while (Number(open.get()?.uploads) > 0) await setTimeout(5);
}

/** Milliseconds. */
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
