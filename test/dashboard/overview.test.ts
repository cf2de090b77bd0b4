import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { Entry } from "../../src/engine/model/entry.ts";
import { openStore } from "../../src/store/sqlite/open-store.ts";
import { buildEntry } from "../contract/build-entry.ts";
import { buildCommit } from "../contract/build-queue.ts";
import { launchBrowser } from "../runner/browser.ts";
import { eventually } from "../scenarios/eventually.ts";
import { Gate } from "../scenarios/gate.ts";
import { Stage } from "../scenarios/stage.ts";
import { EventStream } from "./event-stream.ts";
import { textOf } from "./page-text.ts";
import { browserTest } from "./viewers.ts";

const minute = 60_000;
const day = 86_400_000;
/** Noon of today, when the service starts. A test near midnight would count merges on another day. */
const now = Math.floor(Date.now() / day) * day + day / 2;
const aheadMs = now - Date.now();

let stage: Stage;
let live: number;
let cookie: string;
/** Holds CI, so that nothing merges while the queue is running. */
const gate = new Gate();

/** An entry that ended at a time after it had waited. */
const ended = (pr: number, at: number, waitedMs: number, given: Partial<Entry> = {}) =>
  buildEntry({
    ...{ pr, title: `Add part ${pr}`, headRef: `part-${pr}`, state: "merged" },
    ...{ stateChangedAt: at, submittedAt: at - waitedMs },
    reason: { code: "MERGED_IN_ORDER", sha: "b".repeat(40), proof: "exact" },
    ...given,
  });

const failed = { state: "failed", reason: { code: "EMPTY_PULL_REQUEST" } } as const;

beforeAll(async () => {
  stage = await Stage.open({
    queue: { state: "paused", requiredStatuses: ["build"] },
    environment: { TRAINYARD_DASHBOARD: "token" },
    requiredChecks: null,
    ci: { lastStep: gate.lastStep },
    clock: { now: () => Date.now() + aheadMs },
  });
  live = await stage.openPullRequest("waits", undefined, { title: "Still waits" });
  await stage.client.submitPullRequest({ ...stage.queue, pr: { number: live } });
  await seed([
    ended(101, now, 10 * minute, { title: "Fix the LOGIN", author: "Carol" }),
    ended(102, now, 20 * minute, { title: "Save 100% of_it", headRef: "topic/Savings" }),
    ended(103, now - 3 * day, 40 * minute),
    ended(104, now - 1, 5 * minute, { ...failed, title: "Break 101 things", author: "Carol" }),
    // Older than the days of the figures.
    ...Array.from({ length: 60 }, (_, index) => ended(201 + index, now - 20 * day - index, minute)),
  ]);
  cookie = await signIn("acme");
});
afterAll(async () => {
  gate.open();
  await stage.close();
});

async function seed(entries: readonly Entry[]): Promise<void> {
  const store = await openStore(stage.databaseUrl);
  const [queue] = await store.queues.list();
  await store.queues.commit(buildCommit({ queueId: queue?.id ?? "", entries }));
  await store.close();
}

async function signIn(organisation: string): Promise<string> {
  const token = await stage.issueToken({ organisation, scopes: ["read"] });
  const body = new URLSearchParams({ token });
  const answer = await fetch(`${stage.url}/login`, { method: "POST", body, redirect: "manual" });
  return answer.headers.getSetCookie()[0]?.split(";")[0] ?? "";
}

async function read(path: string, as = cookie): Promise<{ status: number; page: string }> {
  const answer = await fetch(new URL(path, stage.url), { headers: { cookie: as } });
  return { status: answer.status, page: await answer.text() };
}

/** The numbers of the pull requests that a page lists, in order. */
const listed = (page: string) =>
  [...page.matchAll(/\/pulls\/(\d+)">#\1<\/a> <bdi>/g)].map(([, pr]) => Number(pr));

const found = async (text: string, as = cookie) =>
  listed((await read(`/search?q=${encodeURIComponent(text)}`, as)).page);

describe("the overview", () => {
  test("shows each queue with what waits, what merged, and how long that took", async () => {
    const { page } = await read("/");
    const text = textOf(page);
    expect(text).toMatch(/acme\/widgets main tests paused for \d+ (s|min)/);
    expect(text).toMatch(/1 0 2 20 min · 40 min 3 /);
    expect(page).toMatch(
      /role="img" aria-label="Merges a day: (\w{3} 0, ){3}\w{3} 1, (\w{3} 0, ){2}today 2"/,
    );
  });

  test("names the problems that need a person first, and the reason of a pause once", async () => {
    const text = textOf((await read("/")).page);
    expect(text).toMatch(/Needs a person 1 paused acme\/widgets main for \d+ (s|min) ?: set by tests/);
    expect(text.match(/set by tests/g)).toHaveLength(1);
    await stage.client.updateQueue({ ...stage.queue, state: "running" });
    expect(textOf((await read("/")).page)).toContain("Nothing needs a person.");
    await stage.client.updateQueue({ ...stage.queue, state: "paused" });
  });
});

describe("the search", () => {
  test.each([
    ["#101", [101]],
    ["101", [101, 104]],
    ["login", [101]],
    ["CAROL", [101, 104]],
    ["carol break", [104]],
    ["savings", [102]],
    ["100% of_", [102]],
    ["%", [102]],
    ["part_103", []],
    ["<script>", []],
  ])("for %s finds the right pull requests", async (text, prs) => {
    expect((await found(text)).sort()).toEqual(prs);
  });

  test("finds what is still in a queue, and shows no more than fifty", async () => {
    expect(await found("still waits")).toEqual([live]);
    const { page } = await read("/search?q=part");
    expect(listed(page)).toHaveLength(50);
    expect(textOf(page)).toContain("Only the first 50 are shown.");
  });

  test("finds nothing for another organisation, and asks anybody else to sign in", async () => {
    const stranger = await signIn("globex");
    for (const text of ["#101", "login", "carol"]) expect(await found(text, stranger)).toEqual([]);
    expect((await read("/search?q=login", "")).status).toBe(401);
  });
});

describe("the history of a queue", () => {
  const history = async (query: string) => listed((await read(`${stage.pageUrl}/history${query}`)).page);
  const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10);

  test("lists what ended, the last first, in pages that do not overlap", async () => {
    const { page } = await read(`${stage.pageUrl}/history`);
    const first = listed(page);
    expect(first.slice(0, 4)).toEqual([102, 101, 104, 103]);
    expect(textOf(page)).toMatch(
      /#104 Break 101 things Carol · a{7} · GitHub failed adds nothing .* 5 min \d+ (s|min) ago/,
    );
    const [, next = ""] = /href="([^"]+)" rel="next"/.exec(page) ?? [];
    const second = await read(textOf(next));
    expect(first).toHaveLength(50);
    expect([...first, ...listed(second.page)]).toEqual([...new Set([...first, ...listed(second.page)])]);
    expect(listed(second.page)).toHaveLength(14);
    expect(second.page).not.toContain('rel="next"');
  });

  test("is filtered by outcome, author, text and period", async () => {
    expect(await history("?outcome=failed")).toEqual([104]);
    expect(await history("?outcome=cancelled")).toEqual([]);
    expect(await history("?author=carol")).toEqual([101, 104]);
    expect(await history("?author=caro")).toEqual([]);
    expect(await history("?q=login&outcome=merged")).toEqual([101]);
    const before = dayOf(now - 3 * day);
    expect(await history(`?from=${before}&to=${before}`)).toEqual([103]);
    expect(await history("?after=nonsense&from=2026-99-99&outcome=x")).toHaveLength(50);
    const { page } = await read(`${stage.pageUrl}/history?from=2026-02-31`);
    expect(textOf(page)).toMatch(/“ ?2026-02-31 ?” is not a day, so it does not filter\./);
    const old = await read(`${stage.pageUrl}/history?to=2020-01-01`);
    expect(textOf(old.page)).toMatch(/What happened before \d+ \w+ \d{4} is no longer kept\./);
  });

  test("is as public as the page of the queue", async () => {
    const url = `${stage.pageUrl}/history`;
    expect((await read(url, "")).status).toBe(401);
    expect((await read(url, await signIn("globex"))).status).toBe(404);
    await stage.client.updateQueue({ ...stage.queue, publicPage: true });
    const { status, page } = await read(url, "");
    expect({ status, links: listed(page) }).toEqual({ status: 200, links: [] });
    expect(textOf(page)).toContain("Fix the LOGIN");
    await stage.client.updateQueue({ ...stage.queue, publicPage: false });
  });
});

describe("open in a browser, the overview", () => {
  test("is sent the rows that changed, and the rest only if it changed, too", async () => {
    const stream = await EventStream.open(`${stage.url}/live`, { cookie });
    expect(stream.response.status).toBe(200);
    expect(await stream.next()).toContain("<h1>Queues");
    const second = await stage.openPullRequest("second", undefined, { settle: false });
    await stage.client.submitPullRequest({ ...stage.queue, pr: { number: second } });
    const update = (await stream.nextWith(/>2<\/td>/)) ?? "";
    expect(update).toMatch(/^<hx-partial hx-target="#[\w-]+" hx-swap="outerMorph"><(tr|li) id=/);
    expect(update).not.toContain("<h1>");
    stream.close();
    await stage.client.cancelPullRequest({ ...stage.queue, pr: { number: second } });
    expect((await fetch(`${stage.url}/live`)).status).toBe(404);
  });

  browserTest("follows a queue without a reload", async () => {
    const browser = await launchBrowser();
    try {
      const [name = "", value = ""] = cookie.split("=");
      const page = await browser.newPage();
      await page.context().addCookies([{ name, value, url: stage.url }]);
      const problems: string[] = [];
      let loads = 0;
      page.on("console", (message) => problems.push(message.text()));
      page.on("request", (request) => {
        if (request.isNavigationRequest()) loads += 1;
      });
      await page.goto(stage.url);
      const says = (pattern: RegExp) =>
        eventually(
          async () => pattern.exec((await page.locator("main").innerText()).replaceAll(/\s+/g, " ")),
          `the page to say ${pattern}`,
        );
      await says(/Needs a person 1 .*paused/);
      await stage.client.updateQueue({ ...stage.queue, state: "draining" });
      await says(/Needs a person 1 .*draining.* set by tests .*draining for/);
      await stage.client.updateQueue({ ...stage.queue, state: "running" });
      await says(/Nothing needs a person\./);
      await stage.client.updateQueue({ ...stage.queue, state: "paused" });
      await says(/Needs a person 1 .*paused/);
      expect(problems).toEqual([]);
      expect(loads).toBe(1);
    } finally {
      await browser.close();
    }
  });
});
