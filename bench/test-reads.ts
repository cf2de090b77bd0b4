import { mkdir, mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Benchmark } from "./benchmark.ts";
import { fillTests } from "./fill-tests.ts";
import { type Call, Load } from "./load.ts";
import { type LocalGitHub, repository } from "./local-github.ts";
import { startServerProcess } from "./server-process.ts";
import { startService } from "./service-under-load.ts";
import { toRow } from "./statistics.ts";

const runs = 5;
const callsPerRun = 500;
const tests = 100_000;

const about = `reading tests over HTTP, 1 client, SQLite, ${tests} tests in the repository: 10,000 of them quarantined, 500,000 failures in a week.
At most 10 ms (p99) are required of each.
test-reads-details     get-test-details, of a test at random
test-reads-page        list-quarantined-tests, the first page of 100, with its count
test-reads-unhealthy   list-unhealthy-tests, likewise
test-reads-failing     list-failing-tests of the last hour, likewise
test-reads-failing-7d  list-failing-tests of seven days, likewise: all tests have failed then
Floor: a bare node:http server, one prepared statement on the same database, JSON.`;

export const testReads: Benchmark = {
  about,
  async *measure(tell) {
    await using resources = new AsyncDisposableStack();
    const { path } = resources.use(await mkdtempDisposable(join(tmpdir(), "trainyard-bench-")));
    const github = resources.use(await startServerProcess<LocalGitHub>("local-github.ts", "1"));
    const { host, env } = github.announced;
    const directory = join(path, "service");
    await mkdir(directory);
    tell(`filling a database with ${tests} tests`);
    const database = join(directory, "trainyard.db");
    const repo = { host, ...repository };
    const { ids } = await fillTests(database, `${host}/${repo.owner}/${repo.name}`, tests);
    const floor = resources.use(await startServerProcess("test-reads-floor.ts", database));
    const service = resources.use(await startService(host, env, directory));
    const about = { repo, org_url_slug: repo.owner };
    const page = { ...about, page_query: { page_size: 100 } };
    const span = (ms: number, now = Date.now()) => ({
      ...page,
      start: new Date(now - ms).toISOString(),
      end: new Date(now).toISOString(),
    });
    const anyTest = (call: number) => ids[(call * 7_919) % ids.length];
    const rows: Readonly<
      Record<string, readonly [endpoint: string, body: (call: number) => object, calls: number]>
    > = {
      details: ["get-test-details", (call) => ({ ...about, test_id: anyTest(call) }), callsPerRun],
      page: ["list-quarantined-tests", () => page, callsPerRun],
      unhealthy: ["list-unhealthy-tests", () => page, callsPerRun],
      failing: ["list-failing-tests", () => span(3_600_000), callsPerRun],
      "failing-7d": ["list-failing-tests", () => span(7 * 86_400_000), callsPerRun],
    };
    for (const [name, [endpoint, body, calls]] of Object.entries(rows)) {
      tell(`${name}: ${runs} runs of ${calls}`);
      const ours = (call: number) => service.call(`flaky-tests/${endpoint}`, body(call));
      yield await compare(`test-reads-${name}`, ours, floor.announced.url, calls);
    }
  },
};

/** Alternates the runs. The first run of each side is the warm-up. */
async function compare(name: string, ours: (call: number) => Call, floorUrl: string, calls: number) {
  using load = new Load(1);
  const [values, floors, singles]: number[][] = [[], [], []];
  for (let run = 0; run <= runs; run++) {
    const own = Array.from({ length: calls }, (_, index) => ours(run * calls + index));
    const bare = await load.run(own.map((call) => ({ ...call, url: floorUrl })));
    const measured = await load.run(own);
    if (run === 0) continue;
    floors?.push(1000 / bare.perSecond);
    values?.push(1000 / measured.perSecond);
    singles?.push(...measured.latencies);
  }
  return toRow(name, "ms", { values: values ?? [], floors: floors ?? [], singles: singles ?? [] });
}
