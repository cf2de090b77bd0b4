import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { eventually } from "../scenarios/eventually.ts";
import { Gate } from "../scenarios/gate.ts";
import { Stage } from "../scenarios/stage.ts";
import { EventStream } from "./event-stream.ts";
import { rowOf, textOf } from "./page-text.ts";

const script = "<script>alert(1)</script>";

let stage: Stage;
const gate = new Gate();
let answer: Response;
let page: string;
let testing: number;
let waiting: number;
let draft: number;

beforeAll(async () => {
  stage = await Stage.open({
    queue: { requiredStatuses: ["build"], concurrency: 1 },
    ci: { lastStep: gate.lastStep, pullRequests: false },
    requiredChecks: null,
  });
  testing = await stage.openPullRequest("testing", undefined, { title: script });
  waiting = await stage.openPullRequest("waiting");
  draft = await stage.openPullRequest("draft", undefined, { draft: true });
  for (const pr of [testing, waiting, draft]) {
    await stage.client.submitPullRequest({ ...stage.queue, pr: { number: pr } });
  }
  await stage.until(testing, "testing");
  answer = await fetch(stage.pageUrl);
  page = await answer.text();
});

afterAll(async () => {
  gate.open();
  await stage.close();
});

describe("the queue page", () => {
  test("lists queued pull requests with their position, their state and why they wait", () => {
    expect(rowOf(page, testing)).toEqual([
      "1",
      expect.stringMatching(new RegExp(`^#${testing} .* alice · \\w{7} · GitHub$`)),
      "testing",
      "waiting for build",
      "build",
      expect.stringMatching(/^\d+ s$/),
    ]);
    expect(rowOf(page, waiting)).toMatchObject([
      "2",
      expect.stringMatching(new RegExp(`^#${waiting} Add waiting alice`)),
      "pending",
      `no free testing slot (1 of 1 in use), held by #${testing}`,
      "",
      expect.stringMatching(/^\d+ s$/),
    ]);
  });

  test("lists pull requests that are not ready separately, with the reason", () => {
    const [, notReady = ""] = page.split("Not ready yet");
    expect(rowOf(notReady, draft)?.slice(0, 4)).toEqual([
      "",
      expect.stringContaining("Add draft"),
      "not ready",
      "it is a draft",
    ]);
  });

  test("shows markup in a title as text", () => {
    expect(page).not.toContain(script);
    expect(rowOf(page, testing)?.[1]).toContain(script);
  });

  test("forbids inline and foreign content by its policy, and contains none", () => {
    const policy = (answer.headers.get("content-security-policy") ?? "").split("; ");
    expect(policy).toEqual(
      expect.arrayContaining(["default-src 'none'", "script-src 'self'", "style-src 'self'"]),
    );
    expect(policy).toEqual(expect.arrayContaining(["base-uri 'none'", "frame-ancestors 'none'"]));
    expect(policy.join()).not.toMatch(/unsafe|\*|https?:|data:/);
    expect([
      ...page.matchAll(/<script\b(?! src="\/assets\/[\w.-]+\?v=[\w-]+"( defer)?><\/script>)/g),
    ]).toEqual([]);
    expect(page).not.toMatch(/<[^>]*\s(on\w+|style)=|<style|javascript:/i);
  });

  test("is linked from the home page", async () => {
    const home = await (await fetch(stage.url)).text();
    expect(home).toContain(`<a href="${stage.pageUrl.slice(stage.url.length)}">acme/widgets</a>`);
  });

  test("links to the repository's flaky tests", async () => {
    const [, path = ""] = /href="([^"]+)">flaky tests</.exec(page) ?? [];
    const answer = await fetch(stage.url + path);
    expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining("acme/")]);
  });

  test("follows changes of the queue by server-sent events", async () => {
    const [, connect = ""] = /hx-sse:connect="([^"]+)"/.exec(page) ?? [];
    const events = await EventStream.open(stage.url + connect);
    try {
      expect(events.response.headers.get("content-type")).toBe("text/event-stream");
      const now = (await events.next()) ?? "";
      expect(rowOf(now, waiting)?.[2]).toBe("pending");
      await stage.client.updateQueue({ ...stage.queue, state: "paused" });
      const paused = (await events.nextWith(/class="state paused"/)) ?? "";
      expect(textOf(paused)).toMatch(
        /Paused: no test starts, nothing merges\. Set by tests\. For \d+ (s|min) \./,
      );
      expect(rowOf(paused, waiting)?.[3]).toContain("the queue is paused");
    } finally {
      events.close();
    }
  });
});

test.each([
  ["page", ""],
  ["stream", "/live"],
])("a queue that does not exist has no %s", async (_what, suffix) => {
  const missing = await fetch(stage.pageUrl.replace(/main$/, "nosuch") + suffix);
  expect(missing.status).toBe(404);
  expect(await missing.text()).toContain("There is no such queue, or you may not see it.");
});

test("the scripts, styles and images of a page are served with their types", async () => {
  const types = { js: "text/javascript", css: "text/css", svg: "image/svg+xml" };
  const paths = [...page.matchAll(/(?:src|href)="(\/assets\/[^"?]+\.(js|css|svg)\?v=[^"]+)"/g)];
  expect(new Set(paths.map(([, , kind]) => kind))).toEqual(new Set(Object.keys(types)));
  for (const [, path = "", kind] of paths) {
    const { status, headers } = await fetch(stage.url + path);
    expect({ path, status, sniffing: headers.get("x-content-type-options") }).toEqual({
      path,
      status: 200,
      sniffing: "nosniff",
    });
    const type = headers.get("content-type")?.split(";")[0];
    expect(type).toBe(types[kind as keyof typeof types]);
  }
});

test("a merged pull request is shown with the proof that the tested tree was merged", async () => {
  await stage.client.updateQueue({ ...stage.queue, state: "running" });
  gate.open();
  await stage.until(testing, "merged");
  const ended = await eventually(async () => {
    const [, table] = (await (await fetch(stage.pageUrl)).text()).split("<h2>Ended</h2>");
    return table?.includes(`#${testing} `) ? textOf(table) : null;
  }, "it to be shown as ended");
  expect(ended).toMatch(/merged merged as \w{7} exactly the tree that passed \d+ s ago/);
});
