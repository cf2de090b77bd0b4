import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { readWindow, sinceCreation } from "../../src/dashboard/past/past-window.ts";
import { pullRequestPath } from "../../src/dashboard/paths.ts";
import { launchBrowser } from "../runner/browser.ts";
import { eventually } from "../scenarios/eventually.ts";
import { Stage } from "../scenarios/stage.ts";
import { rowOf, textOf } from "./page-text.ts";
import { browserTest } from "./viewers.ts";

/** Held until the queue's page has been looked at: the run of the whole batch, and the runs of its bisection. */
const batch = Promise.withResolvers<void>();
const bisection = Promise.withResolvers<void>();
/** The commit of the run of the whole batch. */
let batchSha: string | null = null;
let stage: Stage;
let member: string;
let prs: readonly number[];
/** What the queue's page showed, by the time at which it did. */
const shown = new Map<number, readonly unknown[]>();
const createdAfter = Date.now();

beforeAll(async () => {
  stage = await Stage.open({
    queue: { policy: "fixed", batch: true, batchingMinSize: 3, requiredStatuses: ["test"], state: "paused" },
    ci: {
      pullRequests: false,
      lastStep: async ({ conclusion, sha }) => {
        batchSha ??= sha;
        await (sha === batchSha ? batch : bisection).promise;
        return conclusion;
      },
    },
    requiredChecks: null,
    environment: { TRAINYARD_DASHBOARD: "token" },
  });
  member = await signIn("acme");
  prs = [
    await stage.openPullRequest("one", { "facts/one.json": '{"sets":["x"]}\n' }),
    await stage.openPullRequest("two", { "facts/two.json": '{"forbids":["x"]}\n' }),
    await stage.openPullRequest("three"),
  ];
  const [one = 0, two = 0, three = 0] = prs;
  for (const number of prs) await stage.client.submitPullRequest({ ...stage.queue, pr: { number } });
  await stage.until(three, "pending");
  await look();
  await stage.client.updateQueue({ ...stage.queue, state: "running" });
  await stage.until(three, "testing");
  await look();
  batch.resolve();
  await eventually(async () => /batch failed|culprit/i.test((await read()).text) || null, "a bisection");
  await look();
  bisection.resolve();
  await stage.until(one, "merged");
  await look();
  await stage.until(two, "failed");
  // It waits for others to share a batch with.
  await stage.until(three, "pending");
  await look();
});

afterAll(async () => {
  batch.resolve();
  bisection.resolve();
  await stage.close();
});

async function signIn(organisation: string): Promise<string> {
  const token = await stage.issueToken({ organisation, scopes: ["read"] });
  const body = new URLSearchParams({ token });
  const answer = await fetch(`${stage.url}/login`, { method: "POST", body, redirect: "manual" });
  return answer.headers.getSetCookie()[0]?.split(";")[0] ?? "";
}

async function read(path = "", cookie = member) {
  const answer = await fetch(stage.pageUrl + path, { headers: { cookie } });
  const page = (await answer.text()).replaceAll(/&#(\d+);/g, (_, code) => String.fromCodePoint(code));
  return { status: answer.status, page, text: textOf(page) };
}

/** The state of the queue and the rows of its pull requests, without what depends on the minute. */
function contentOf(page: string): readonly unknown[] {
  const rows = prs.map((pr) => rowOf(page, pr)?.slice(0, 5));
  const timeless = rows.map((row) => row?.map((cell) => cell.replace(/ merges in .*$/, "")) ?? null);
  return [/class="state (running|paused)"/.exec(page)?.[1], ...timeless];
}

/** Remembers what the queue's page shows between two changes. */
async function look(): Promise<void> {
  await eventually(async () => {
    const before = contentOf((await read()).page);
    await sleep(20);
    const at = Date.now();
    await sleep(20);
    const after = contentOf((await read()).page);
    if (JSON.stringify(before) !== JSON.stringify(after)) return null;
    shown.set(at, after);
    return true;
  }, "a moment without a change");
}

const pastAt = (at: number) => read(`/past?at=${new Date(at).toISOString()}`);

test("the page of a past moment shows what the queue's page showed then", async () => {
  for (const [at, content] of shown) {
    const { page } = await pastAt(at);
    expect({ at, content: contentOf(page) }).toEqual({ at, content });
  }
  const [paused, testing, bisecting] = [...shown.values()];
  expect(paused).toEqual(["paused", ...prs.map(() => expect.arrayContaining(["pending"]))]);
  expect(JSON.stringify(testing)).toContain("testing");
  expect(bisecting).not.toEqual(testing);
});

test("the list of a past moment has further pages", async () => {
  const [at = 0] = shown.keys();
  const [one = 0, two = 0, three = 0] = prs;
  const { page, text } = await read(`/past?at=${new Date(at).toISOString()}&from=1`);
  expect(text).toContain("Previous 2–3 of 3");
  expect([one, two, three].map((pr) => rowOf(page, pr)?.[0])).toEqual([undefined, "2", "3"]);
  const [, previous = ""] = /class="pages"><a href="([^"]+)"/.exec(page) ?? [];
  const first = await read(previous.replace(/.*(?=\/past)/, ""));
  expect(contentOf(first.page)).toEqual(shown.get(at));
});

test("the axis begins when the queue was created, and its slider reaches the end", async () => {
  const { page } = await read("/past?span=7d");
  const [from, to] = ["min", "max"].map((name) =>
    Number(new RegExp(`type="range".* ${name}="(\\d+)"`).exec(page)?.[1]),
  ) as [number, number];
  expect(to - from).toBeLessThan(Date.now() - createdAfter + 120_000);
  expect(page).not.toContain("the time before");
  const now = Date.now();
  for (const age of [1, 90_500, 3 * 3_600_000 + 1]) {
    const window = sinceCreation(readWindow({ span: "7d" }, now), now - age);
    expect([age, window.from <= now - age, (window.to - window.from) % window.step]).toEqual([age, true, 0]);
  }
});

test("the timeline of a pull request leads to the queue at each of its steps", async () => {
  const [, two = 0] = prs;
  const story = await read(
    pullRequestPath({ repo: stage.queue.repo, branch: "main" }, two).replace(
      new URL(stage.pageUrl).pathname,
      "",
    ),
  );
  const [, link = ""] =
    /<a href="\.\.(\/past\?at=[^"]+)"[^>]*>(?:(?!<a ).)*state failed/s.exec(story.page) ?? [];
  const { text, page } = await read(link);
  expect(text).toMatch(new RegExp(`At this moment .*#${two} failed Required check failed: test\\.`));
  expect(rowOf(page, two)).toBeNull();
  const [, previous = ""] = /id="previous" href="([^"]+)"/.exec(page) ?? [];
  const before = await read(previous.replace(/.*(?=\/past)/, ""));
  expect(rowOf(before.page, two)).not.toBeNull();
});

test("a moment before the queue existed, and a text that is no time, are reported as such", async () => {
  expect((await pastAt(createdAfter - 1)).text).toContain("The queue did not exist yet. It was created on");
  for (const at of ["noon", "2026-02-31T10:00"])
    expect((await read(`/past?at=${at}`)).text).toMatch(new RegExp(`“ ?${at} ?” is not a time\\.`));
});

test("the past is shown to those who see the queue's page", async () => {
  expect((await read("/past", "")).status).toBe(401);
  expect((await read("/past", await signIn("others"))).status).toBe(404);
  await stage.client.updateQueue({ ...stage.queue, publicPage: true });
  const { status, text } = await read("/past", "");
  expect(status).toBe(200);
  expect(text).toMatch(/1 merged 1 merged 1 failed 1 failed paused \d+ (s|min)/);
});

browserTest(
  "what the queue looked like when a pull request failed is three clicks away, and can be played",
  async () => {
    const browser = await launchBrowser();
    try {
      const page = await browser.newPage();
      const problems: string[] = [];
      page.on("console", (message) => problems.push(message.text()));
      page.on("pageerror", ({ message }) => problems.push(message));
      const [name = "", value = ""] = member.split("=");
      await page.context().addCookies([{ name, value, url: stage.url }]);
      const [, two = 0] = prs;
      await page.goto(stage.url);
      await page.getByRole("searchbox").fill(`#${two}`);
      await page.getByRole("button", { name: "Search" }).click();
      await page.getByRole("link", { name: `#${two}`, exact: true }).click();
      await page
        .locator(".timeline li", { hasText: "Required check failed" })
        .last()
        .getByRole("link")
        .first()
        .click();
      await page.getByText(`#${two} failed Required check failed: test.`).waitFor();

      const moment = () => page.locator("#moment h2").innerText();
      const change = async (act: () => Promise<void>) => {
        const before = await moment();
        await act();
        return eventually(
          async () => ((await moment()) === before ? null : await moment()),
          "another moment",
        );
      };
      await change(() => page.getByRole("link", { name: "Previous event" }).click());
      const slider = page.getByRole("slider", { name: "Moment" });
      await slider.focus();
      const at = () => slider.getAttribute("aria-valuetext");
      // From there, it plays for as long as a busy machine may take to look.
      const [before, early] = [await at(), await change(() => slider.press("Home"))];
      expect(await at()).not.toBe(before);
      expect(new URL(page.url()).searchParams.get("at")).toBe(await slider.inputValue());
      const play = () => page.getByRole("button", { name: "Play" }).click();
      expect(early).not.toBe(await change(play));
      await change(async () => {});
      await page.getByRole("button", { name: "Pause" }).click();
      expect(problems).toEqual([]);
    } finally {
      await browser.close();
    }
  },
);
