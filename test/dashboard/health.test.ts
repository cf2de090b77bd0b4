import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { isTerminal } from "../../src/engine/model/entry.ts";
import { readRecording } from "../../src/replay/recording.ts";
import { replayRecording } from "../../src/replay/replay-recording.ts";
import { HealthFold } from "../../src/service/metrics/health/fold-health.ts";
import { waits } from "../../src/service/metrics/health/health-figures.ts";
import { QueueHealth } from "../../src/service/metrics/health/queue-health.ts";
import { openStore } from "../../src/store/sqlite/open-store.ts";
import { buildCreation, buildQueue } from "../contract/build-queue.ts";
import { launchBrowser } from "../runner/browser.ts";
import { eventually } from "../scenarios/eventually.ts";
import { Stage } from "../scenarios/stage.ts";
import { createSqliteFile } from "../store/sqlite-file.ts";
import { textOf } from "./page-text.ts";
import { type RecordedQueue, recordQueue } from "./recorded-queue.ts";
import { browserTest } from "./viewers.ts";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const settings = { concurrency: 3, batch: true, policy: "fixed" } as const;

let stage: Stage;
let recorded: RecordedQueue;
/** Of an administrator. */
let cookie: string;

beforeAll(async () => {
  stage = await Stage.open({ environment: { TRAINYARD_DASHBOARD: "token" }, requiredChecks: null });
  recorded = await recordQueue(stage.databaseUrl, stage.queue.repo, Date.now(), { hours: 30, settings });
  cookie = await signIn(["read", "queue:admin"]);
});
afterAll(() => stage.close());

type Scopes = Parameters<Stage["issueToken"]>[0]["scopes"];

async function signIn(scopes: Scopes, organisation = "acme"): Promise<string> {
  const body = new URLSearchParams({ token: await stage.issueToken({ organisation, scopes }) });
  const answer = await fetch(`${stage.url}/login`, { method: "POST", body, redirect: "manual" });
  return answer.headers.getSetCookie()[0]?.split(";")[0] ?? "";
}

async function read(path: string, as = cookie): Promise<{ status: number; text: string }> {
  const answer = await fetch(stage.pageUrl + path, { headers: { cookie: as } });
  return { status: answer.status, text: await answer.text() };
}

const halfHourMs = 1_800_000;
/** A time as the form writes it. */
const field = (at: number) => new Date(at).toISOString().slice(0, 16);

/** What left the queue, with its time in it by the log, in order. */
function endedByLog() {
  const admitted = new Map<number, number>();
  return recorded.events.flatMap(({ at, data }) => {
    if (data.type === "entry_admitted") admitted.set(data.pr, at);
    if (data.type !== "entry_moved" || !isTerminal(data.to)) return [];
    return [{ pr: data.pr, endedAt: at, to: data.to, ms: at - (admitted.get(data.pr) ?? 0) }];
  });
}

describe("the figures of a queue", () => {
  test("add up to the whole stay of each pull request, also when they are folded in parts", () => {
    let fold = new HealthFold(null);
    for (const event of recorded.events) {
      fold.take(event);
      if (event.seq % 50 === 0) fold = new HealthFold(fold.serialize());
    }
    const sums = fold.stays.map(({ pr, endedAt, waits: own }) => ({
      pr,
      endedAt,
      ms: waits.reduce((sum, wait) => sum + own[wait], 0),
    }));
    expect(sums.length).toBeGreaterThan(200);
    expect(sums).toEqual(endedByLog().map(({ pr, endedAt, ms }) => ({ pr, endedAt, ms })));
    const spent = (wait: (typeof waits)[number]) => fold.stays.some((stay) => stay.waits[wait] > 0);
    for (const wait of ["ci", "slot", "batch", "predecessors"] as const)
      expect({ wait, found: spent(wait) }).toEqual({ wait, found: true });
  });

  test("are the same whichever service has stored a part of them", async () => {
    const store = await openStore(stage.databaseUrl);
    const [queue] = await store.queues.list();
    const directory = { find: async () => ({ ok: true, value: queue }) } as never;
    const now = recorded.events.at(-1)?.at ?? 0;
    const service = () =>
      new QueueHealth({
        store: store.health,
        history: store.history,
        directory,
        clock: { now: () => now },
        log: console as never,
      });
    const [one, other] = [service(), service()];
    const period = [0, now + 1] as const;
    const address = { repo: stage.queue.repo, branch: "main" };
    await Promise.all([one.read(address, ...period), other.read(address, ...period)]);
    while ((await one.read(address, ...period))?.until !== null);
    const report = await other.read(address, ...period);
    const fold = new HealthFold(null);
    for (const event of recorded.events) fold.take(event);
    expect(report?.steps).toEqual(fold.steps);
    await store.close();
  });
});

test("a damaged log keeps no other queue from being folded", async () => {
  const file = await createSqliteFile();
  await recordQueue(`sqlite:${file.path}`, stage.queue.repo, Date.now(), { hours: 2, settings });
  const store = await file.open();
  const queue = buildQueue({ id: "damaged" });
  await store.queues.commit(buildCreation(queue));
  const db = new DatabaseSync(file.path);
  db.exec("update events set content = '{' where queue_id = 'damaged'");
  db.close();
  const errors: unknown[] = [];
  const health = new QueueHealth({
    ...{ store: store.health, history: store.history, directory: {} as never, clock: { now: Date.now } },
    log: { error: (error: unknown) => errors.push(error) } as never,
  });
  health.start();
  await eventually(() => store.health.fold(stage.queue.repo.name), "the fold of the other queue");
  await health.stop();
  expect(errors).toHaveLength(1);
  await store.close();
  await file.remove();
});

describe("the health page", () => {
  test("shows the same figures as its CSV files, and the pull requests behind them", async () => {
    // A time that is over, so that nothing changes between two readings.
    const end = Math.floor(Date.now() / halfHourMs) * halfHourMs;
    const query = `from=${field(end - 48 * halfHourMs)}&to=${field(end)}`;
    const { text: page } = await read(`/health?${query}`);
    const charts = [...page.matchAll(/health\/(\w+)\.csv\?/g)].map(([, id]) => id);
    expect(charts).toEqual(
      expect.arrayContaining(["time", "stay", "throughput", "ci", "slots", "bisections"]),
    );
    const sections = page.split('<section class="chart"').slice(1);
    for (const [index, id] of charts.entries()) {
      const { text: csv } = await read(`/health/${id}.csv?${query}`);
      const rows = csv.trim().split("\r\n").slice(1);
      const [, body = ""] = /<tbody>([\s\S]*?)<\/tbody>/.exec(sections[index] ?? "") ?? [];
      const shown = body.split("</tr>").slice(0, -1);
      const cells = shown.map((row) =>
        [...row.matchAll(/<td>(.*?)<\/td>/g)].map(([, cell]) => (cell === "–" ? "" : cell)),
      );
      expect({ id, cells }).toEqual({ id, cells: rows.map((row) => row.split(",").slice(2)) });
    }
    const { text: throughput } = await read(`/health/throughput.csv?${query}`);
    const lines = throughput
      .trim()
      .split("\r\n")
      .slice(1)
      .map((line) => line.split(","));
    const from = Date.parse(`${lines[0]?.[0]}Z`);
    const merged = endedByLog().filter(
      ({ to, endedAt }) => to === "merged" && endedAt >= from && endedAt < end,
    ).length;
    expect(lines.reduce((sum, cells) => sum + Number(cells[2]), 0)).toBe(merged);
    expect(textOf(page)).toContain(`Merged ${merged} Time to merge`);
  });

  test("lists the pull requests of a chosen time", async () => {
    const ended = endedByLog();
    const [first, last] = [ended[100], ended[105]];
    const { text } = await read(
      `/health?from=${field(first?.endedAt ?? 0)}&to=${field((last?.endedAt ?? 0) + 60_000)}`,
    );
    const [from = 0, to = 0] = [...text.matchAll(/name="(?:from|to)" value="(.*?)"/g)].map(([, time]) =>
      Date.parse(`${time}Z`),
    );
    const [, list = ""] = text.split('<section id="ended">');
    const listed = [...list.matchAll(/\/pulls\/(\d+)">/g)].map(([, pr]) => Number(pr));
    const expected = ended.filter(({ endedAt }) => endedAt >= from && endedAt < to);
    expect(expected).toEqual(expect.arrayContaining([first, last]));
    expect(listed.toSorted()).toEqual(expected.map(({ pr }) => pr).toSorted());
    expect(textOf(list)).toMatch(/tests in CI \d+ (min|h)/);
    const { text: open } = await read(`/health?from=${field(first?.endedAt ?? 0)}&to=9999-12-31T23:59`);
    expect(textOf(open)).toMatch(/Merged [1-9]/);
  });

  test("says so if a period is none, or no longer kept", async () => {
    const none = "/health?from=2026-02-31T10:00&to=2026-03-01T10:00";
    expect(textOf((await read(none)).text)).toMatch(/“2026-02-31T10:00” is not a time\./);
    const csv = await read(none.replace("?", "/throughput.csv?"));
    expect([csv.status, csv.text]).toEqual([400, expect.stringContaining("is not a time")]);
    const { text: old } = await read("/health?from=2020-01-01T00:00&to=2020-01-02T00:00");
    expect(textOf(old)).toMatch(/What happened before \d+ \w+ \d{4} is no longer kept\./);
    expect(textOf(old)).not.toContain("Nothing in this period");
  });

  test("is for people who may read the repository, and replays are for its administrators", async () => {
    const [reader, stranger] = [await signIn(["read"]), await signIn(["read", "queue:admin"], "globex")];
    const statuses = async (path: string) =>
      Promise.all(["", stranger, reader, cookie].map(async (as) => (await read(path, as)).status));
    expect(await statuses("/health")).toEqual([401, 404, 200, 200]);
    expect(await statuses("/health/ci.csv")).toEqual([401, 404, 200, 200]);
    expect(await statuses("/what-if?days=2&concurrency=1")).toEqual([401, 404, 403, 200]);
  });

  browserTest("draws each chart, and leads to the time over which somebody drags", async () => {
    const browser = await launchBrowser();
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    const problems: string[] = [];
    page.on("console", (message) => problems.push(message.text()));
    page.on("pageerror", ({ message }) => problems.push(message));
    const [name = "", value = ""] = cookie.split("=");
    await page.context().addCookies([{ name, value, url: stage.url }]);
    await page.goto(`${stage.pageUrl}/health?range=24h`);
    const charts = await page.locator(".chart").count();
    expect(await page.locator(".chart canvas").count()).toBe(charts);
    // Something is drawn in the colour of the first series.
    const painted = await page.evaluate(`(() => {
      const canvas = document.querySelector(".chart canvas");
      const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      return data.some((red, at) => at % 4 === 0 && red === 0 && data[at + 1] === 114 && data[at + 2] === 178);
    })()`);
    expect(painted).toBe(true);
    await page.evaluate(axe);
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      expect(
        await page.evaluate("axe.run().then(({ violations }) => violations.map(({ id }) => id))"),
      ).toEqual([]);
    }
    await page.setViewportSize({ width: 320, height: 900 });
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(320);
    await page.setViewportSize({ width: 1280, height: 900 });
    const box = await page.locator(".chart .u-over").first().boundingBox();
    const { x, y, width, height } = box ?? { x: 0, y: 0, width: 0, height: 0 };
    await page.mouse.move(x + width * 0.7, y + height / 2);
    await page.mouse.down();
    await page.mouse.move(x + width * 0.9, y + height / 2, { steps: 4 });
    await page.mouse.up();
    await page.waitForURL(/from=.*to=/);
    const { searchParams } = new URL(page.url());
    const hours =
      (Date.parse(`${searchParams.get("to")}Z`) - Date.parse(`${searchParams.get("from")}Z`)) / 3_600_000;
    expect(hours).toBeGreaterThanOrEqual(4.5);
    expect(hours).toBeLessThanOrEqual(6);
    expect(await page.locator("#ended tbody tr").count()).toBeGreaterThan(0);
    await page.goto(`${stage.pageUrl}/what-if?days=30&concurrency=1`);
    for (const width of [320, 710, 768]) {
      await page.setViewportSize({ width, height: 900 });
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(width);
    }
    expect(problems).toEqual([]);
    await browser.close();
  });
});

describe("the page of replays", () => {
  test("shows what the replay computes, and which concurrency is enough", async () => {
    const { text } = await read("/what-if?days=30&concurrency=1,6&batch=off&p95=100000");
    const recording = readRecording(recorded.events);
    const cells = [...text.matchAll(/<tr>(.*?)<\/tr>/gs)].map(([, row = ""]) =>
      textOf(row.replaceAll(/<small>.*?<\/small>/g, "")),
    );
    const figure = (minutes: number | null) =>
      minutes !== null && minutes >= 100
        ? `${Math.round(minutes).toLocaleString("en")} min`
        : `${minutes?.toFixed(1)} min`;
    for (const concurrency of [1, 6]) {
      const {
        recorded: before,
        replayed,
        changed,
      } = replayRecording(recording, { concurrency, batch: false });
      const rowOf = (
        name: string,
        { waitP50, waitP95, ciMinutes, runs, merged, failed, others }: typeof changed,
      ) =>
        [name, figure(waitP50), figure(waitP95), figure(ciMinutes), runs, merged, failed, others].join(" ");
      expect(cells).toContain(rowOf("as it happened", before));
      expect(cells).toContain(rowOf("replayed as it is now", replayed));
      expect(cells).toContain(rowOf(`${concurrency} at once, batches off`, changed));
    }
    expect(textOf(text)).toContain("1 at once is enough to keep p95 below 100000 min");
    expect(textOf(text)).toMatch(/What this assumes .* that failed their tests \(\d+\) fail again/);
  });

  test("arrives part by part", async () => {
    const answer = await fetch(`${stage.pageUrl}/what-if?days=30&concurrency=2`, { headers: { cookie } });
    const chunks: string[] = [];
    const decoder = new TextDecoder();
    for await (const chunk of answer.body ?? []) chunks.push(decoder.decode(chunk, { stream: true }));
    const [asked = -1, answered = -1] = ["<h1>What if?", "2 at once</td>"].map((part) =>
      chunks.findIndex((chunk) => chunk.includes(part)),
    );
    expect(asked).toBeGreaterThanOrEqual(0);
    expect(answered).toBeGreaterThan(asked);
  });

  test.each([
    ["days=31&concurrency=1", "Days must be a whole number from 1 to 30."],
    ["days=1&concurrency=two", "must be whole numbers from 1 to 1000"],
    ["days=1&concurrency=1,2,3,4,5,6,7", "At most 6 numbers"],
    ["days=1&concurrency=1&mode=<b>", "One of the choices does not exist."],
    ["days=1&concurrency=1&mode=constructor", "One of the choices does not exist."],
  ])("says what is wrong with %s", async (query, problem) => {
    const { text } = await read(`/what-if?${query}`);
    expect(textOf(text)).toContain(problem);
    expect(text).not.toContain("as it happened");
  });
});
