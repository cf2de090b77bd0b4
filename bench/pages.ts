import { mkdir, mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createClient } from "../src/client/client.ts";
import {
  auditPath,
  healthPath,
  historyPath,
  pastPath,
  pullRequestPath,
  queuePath,
  testPath,
  testsPath,
  whatIfPath,
} from "../src/dashboard/paths.ts";
import { allRuns } from "../src/engine/model/queue.ts";
import { isActive } from "../src/engine/model/test-run.ts";
import { readRecording } from "../src/replay/recording.ts";
import { answerWhatIf } from "../src/replay/what-if.ts";
import { recordQueue } from "../test/dashboard/recorded-queue.ts";
import { addEnded } from "./add-ended.ts";
import type { Benchmark, Row } from "./benchmark.ts";
import { fillTests } from "./fill-tests.ts";
import { type Call, Load } from "./load.ts";
import { type LocalGitHub, repository } from "./local-github.ts";
import { LivePage, readPage } from "./open-page.ts";
import { type Announcement, startServerProcess } from "./server-process.ts";
import { startService } from "./service-under-load.ts";
import { residentBytes } from "./spawn-until-ready.ts";
import { toRow } from "./statistics.ts";

const [waiting, ended, tests] = [1_000, 100_000, 10_000];
const runs = 3;
const [slots, replayed] = [50, 1_000];
/** Fewer of a page that takes longer than a second. */
const [viewsPerRun, viewsOfSlow] = [30, 3];
const livePages = 200;
/** Between changes of the queue while pages are open, and after the last one until memory is read. */
const [pauseMs, restMs] = [500, 5_000];

const about = `the pages of the dashboard over HTTP, for an administrator, SQLite: ${waiting} pull requests in the queue, ${ended} that have ended,
${tests} tests.
pages-NAME         a page, 1 client; required: at most 150 ms (p95)
pages-NAME-bytes   the page as a browser receives it first, with scripts and styles; required: at most 200 KB. Floor: without compression
pages-queue-lanes  the page of a queue in parallel mode, ${waiting} pull requests and ${slots} tests at once; required: at most 150 ms (p95)
pages-what-if-…    until the browser has the first row of four replays of ${replayed} pull requests of 7 days, and until it has all. Floor: the
                   same replays in this process
pages-live-update  what the page of the queue receives after a change; required: at most 20 KB. Floor: the page
pages-live-memory  resident memory more with ${livePages} open pages of the queue; required: at most 50 MB
pages-live-api     getSubmittedPullRequest while they are open and the queue changes. Floor: the same without open pages
Floor, where no other is named: a bare node:http server that sends as many bytes, at once or on as many connections that stay open.`;

export const pages: Benchmark = {
  about,
  async *measure(tell) {
    await using resources = new AsyncDisposableStack();
    const { path } = resources.use(await mkdtempDisposable(join(tmpdir(), "trainyard-bench-")));
    tell(`opening ${waiting} pull requests`);
    const github = resources.use(await startServerProcess<LocalGitHub>("local-github.ts", String(waiting)));
    const { host, env } = github.announced;
    const directory = join(path, "service");
    await mkdir(directory);
    const database = join(directory, "trainyard.db");
    tell(`filling a database with ${tests} tests`);
    const repo = { host, ...repository };
    const known = await fillTests(database, `${host}/${repo.owner}/${repo.name}`, tests);
    const service = resources.use(await startService(host, env, directory, { TRAINYARD_DASHBOARD: "token" }));
    const { token, queue } = service.sender;
    tell("submitting them");
    using load = new Load();
    const numbers = Array.from({ length: waiting }, (_, index) => index + 1);
    await load.run(numbers.map((number) => service.submission(number)));
    tell(`adding ${ended} that have ended`);
    await addEnded(`sqlite:${database}`, ended, waiting + 1);
    const floor = resources.use(await startServerProcess<Announcement & { pid: number }>("pages-floor.ts"));
    const cookie = await signIn(service.url, token);
    const address = { repo, branch: "main" };
    const some: Readonly<Record<string, string>> = {
      overview: "/",
      search: "/search?q=change",
      "search-nothing": "/search?q=nothing+like+it",
      queue: queuePath(address),
      "pull-request": pullRequestPath(address, waiting / 2),
      "ended-pull-request": pullRequestPath(address, waiting + ended / 2),
      past: pastPath(address),
      health: healthPath(address),
      settings: `${queuePath(address)}/settings`,
      history: historyPath(address),
      "history-filtered": `${historyPath(address)}?q=nothing&author=nobody`,
      tests: testsPath(repo),
      "tests-by-cost": `${testsPath(repo)}?state=unhealthy`,
      test: testPath(repo, known.ids[0] ?? ""),
      "audit-log": auditPath(repo),
      webhooks: `/webhooks/${repository.owner}`,
    };
    for (const [name, page] of Object.entries(some)) {
      tell(`${name}: ${runs} runs`);
      yield* measurePage(name, service.url + page, cookie, floor.announced.url);
    }
    const client = createClient({ baseUrl: service.url, token });
    const change = (pr: number) =>
      client.cancelPullRequest({ repo, targetBranch: "main", pr: { number: pr } });
    yield* measureLive(tell, {
      page: service.url + queuePath(address),
      ...{ cookie, pid: service.pid, floor: floor.announced, change },
      call: service.call("getSubmittedPullRequest", { ...queue, pr: { number: waiting } }),
    });
    tell("recording a queue with lanes");
    const lanes = { host, owner: repository.owner, name: "lanes" };
    await recordQueue(`sqlite:${database}`, lanes, Date.now(), {
      ...{ preset: "github", rate: 1_500, hours: 2, settings: { concurrency: slots, batch: false } },
      isEnd: (state) => state.entries.size >= waiting && [...allRuns(state)].filter(isActive).length >= slots,
    });
    // First the service counts what was recorded for its other pages.
    await sleep(restMs * 2);
    const page = queuePath({ repo: lanes, branch: "main" });
    yield* measurePage("queue-lanes", service.url + page, cookie, floor.announced.url);
    yield* measureWhatIf(tell, `sqlite:${database}`, { url: service.url, host, cookie });
  },
};

async function signIn(url: string, token: string): Promise<string> {
  const body = new URLSearchParams({ token });
  const answer = await fetch(`${url}/login`, { method: "POST", body, redirect: "manual" });
  return answer.headers.getSetCookie()[0]?.split(";")[0] ?? "";
}

async function* measurePage(name: string, url: string, cookie: string, floorUrl: string): AsyncIterable<Row> {
  const began = performance.now();
  const first = await readPage(url, cookie);
  const views = performance.now() - began > 1_000 ? viewsOfSlow : viewsPerRun;
  const whole = await (await fetch(url, { headers: { cookie } })).text();
  const assets = new Set(
    [...whole.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path = ""]) => path),
  );
  const loaded = await Promise.all([...assets].map((path) => readPage(new URL(path, url).href, cookie)));
  const plain = await Promise.all(
    [...assets].map(async (path) => (await (await fetch(new URL(path, url))).arrayBuffer()).byteLength),
  );
  const sum = (sizes: readonly number[]) => sizes.reduce((total, size) => total + size, 0) / 1_000;
  using load = new Load(1);
  const [values, floors, singles]: [number[], number[], number[]] = [[], [], []];
  const calls = (address: string): Call[] =>
    Array.from({ length: views }, () => ({ method: "GET", url: address, headers: { cookie } }));
  // The first run is the warm-up.
  for (let run = 0; run <= runs; run++) {
    const bare = await load.run(calls(`${floorUrl}/page/${Buffer.byteLength(whole)}`));
    const own = await load.run(calls(url));
    if (run === 0) continue;
    floors.push(1000 / bare.perSecond);
    values.push(1000 / own.perSecond);
    singles.push(...own.latencies);
  }
  yield toRow(`pages-${name}`, "ms", { values, floors, singles });
  yield toRow(`pages-${name}-bytes`, "KB", {
    values: [sum([first.bytes, ...loaded.map(({ bytes }) => bytes)])],
    floors: [sum([Buffer.byteLength(whole), ...plain])],
  });
}

const replayRate = 8;
const replaySettings = { concurrency: 4, batch: true, policy: "fixed" } as const;
const variants = [2, 8, 16].map((concurrency) => ({ concurrency }));

async function* measureWhatIf(
  tell: (progress: string) => void,
  databaseUrl: string,
  { url, host, cookie }: { readonly url: string; readonly host: string; readonly cookie: string },
): AsyncIterable<Row> {
  tell(`recording ${replayed} pull requests, and replaying them`);
  const repo = { host, owner: repository.owner, name: "recorded" };
  const { events } = await recordQueue(databaseUrl, repo, Date.now(), {
    ...{ hours: replayed / replayRate, rate: replayRate, settings: replaySettings },
  });
  const query = `days=7&concurrency=${variants.map(({ concurrency }) => concurrency).join(",")}`;
  const page = `${url}${whatIfPath({ repo, branch: "main" })}?${query}`;
  const { settings } = readRecording(events);
  const [first, last] = [newTimes(), newTimes()];
  for (let run = 0; run <= runs; run++) {
    const beginning = performance.now();
    const parts = answerWhatIf(events, { settings, variants });
    parts.next();
    const firstFloor = performance.now() - beginning;
    const replays = [...parts].length;
    const lastFloor = performance.now() - beginning;
    const began = performance.now();
    const answer = await fetch(page, { headers: { cookie, "accept-encoding": "identity" } });
    let text = "";
    let firstMs = 0;
    for await (const part of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += part;
      if (firstMs === 0 && text.includes("as it happened")) firstMs = performance.now() - began;
    }
    if (replays !== variants.length + 1 || firstMs === 0 || !text.includes("16 at once"))
      throw new Error(`the replays did not end: ${text.slice(-500)}`);
    if (run === 0) continue;
    first.values.push(firstMs);
    first.floors.push(firstFloor);
    last.values.push(performance.now() - began);
    last.floors.push(lastFloor);
  }
  yield toRow("pages-what-if-first", "ms", first);
  yield toRow("pages-what-if-last", "ms", last);
}

function newTimes(): { readonly values: number[]; readonly floors: number[] } {
  return { values: [], floors: [] };
}

interface Live {
  readonly page: string;
  readonly cookie: string;
  readonly pid: number;
  readonly floor: { readonly url: string; readonly pid: number };
  readonly call: Call;
  readonly change: (pr: number) => Promise<unknown>;
}

async function* measureLive(tell: (progress: string) => void, live: Live): AsyncIterable<Row> {
  const { page, cookie, pid, floor, call, change } = live;
  let pr = 0;
  tell("a change, with one open page");
  const updates: number[] = [];
  using one = await LivePage.open(`${page}/live`, cookie);
  await sleep(restMs);
  const whole = one.bytes;
  for (let times = 0; times < 5; times++) {
    const before = one.bytes;
    await change(++pr);
    await sleep(2_000);
    updates.push((one.bytes - before) / 1_000);
  }
  yield toRow("pages-live-update", "KB", { values: updates, floors: [whole / 1_000] });

  using load = new Load(1);
  const underWay = async () => {
    const isOver = AbortSignal.timeout(20_000);
    const latencies: number[] = [];
    const changing = (async () => {
      for (; !isOver.aborted; await sleep(pauseMs)) await change(++pr);
    })();
    for (; !isOver.aborted; await sleep(5)) latencies.push(...(await load.run([call])).latencies);
    await changing;
    return latencies;
  };
  tell("the API without open pages");
  const alone = await underWay();
  const [before, floorBefore] = [await residentBytes(pid), await residentBytes(floor.pid)];
  tell(`the API with ${livePages} open pages`);
  using open = new DisposableStack();
  for (let index = 0; index < livePages; index++) {
    open.use(await LivePage.open(`${page}/live`, cookie));
    open.use(await LivePage.open(`${floor.url}/live/${whole}`, cookie));
  }
  const beside = await underWay();
  await sleep(restMs);
  const [after, floorAfter] = [await residentBytes(pid), await residentBytes(floor.pid)];
  yield toRow("pages-live-memory", "MB", {
    values: [(after - before) / 1e6],
    floors: [(floorAfter - floorBefore) / 1e6],
  });
  yield toRow("pages-live-api", "ms", { values: beside, floors: alone });
}
