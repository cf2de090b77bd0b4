import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { endpoints } from "../../src/api/endpoints.ts";
import { actionNames } from "../../src/dashboard/audit-page.ts";
import { launchBrowser } from "../runner/browser.ts";
import { Stage } from "../scenarios/stage.ts";
import { textOf } from "./page-text.ts";
import { browserTest } from "./viewers.ts";

let stage: Stage;
let page: string;
let admin: string;

const planted = `<b>"Release" \u202e${"x".repeat(150)}`;

beforeAll(async () => {
  stage = await Stage.open({ queue: {}, environment: { TRAINYARD_DASHBOARD: "token" } });
  const { host, owner, name } = stage.queue.repo;
  page = `${stage.url}/audit/${encodeURIComponent(host)}/${owner}/${name}`;
  admin = await signIn(["read", "queue:admin"]);
  await stage.client.updateQueue({ ...stage.queue, state: "paused", reason: planted });
  const pr = await stage.openPullRequest("one");
  await stage.comment(pr, '/trainyard merge --priority=high --reason="hotfix"');
  await stage.until(pr, "pending");
  await stage.client.updateQueue({ ...stage.queue, concurrency: 7, state: "running" });
});
afterAll(() => stage.close());

async function signIn(scopes: Parameters<Stage["issueToken"]>[0]["scopes"], organisation = "acme") {
  const body = new URLSearchParams({ token: await stage.issueToken({ organisation, scopes }) });
  const headers = { origin: stage.url };
  const answer = await fetch(`${stage.url}/login`, { method: "POST", body, headers, redirect: "manual" });
  return answer.headers.getSetCookie()[0]?.split(";")[0] ?? "";
}

async function look(url: string, cookie = admin): Promise<{ status: number; markup: string; text: string }> {
  const answer = await fetch(url, { headers: { cookie } });
  const markup = await answer.text();
  return { status: answer.status, markup, text: textOf(markup) };
}

/** Follows the link with this text. */
async function follow(markup: string, text: string) {
  const [, path = "no such link"] = new RegExp(`<a href="([^"]*)"[^>]*>${text}</a>`).exec(markup) ?? [];
  return look(new URL(textOf(path), stage.url).href);
}

describe("the page of the audit log", () => {
  test("shows in three clicks who changed the settings of a queue, when, from what to what, and why", async () => {
    const log = await follow((await look(stage.pageUrl)).markup, "audit log");
    expect(log.text).toMatch(
      /Submit, or change the priority #1 in main .*priority none → high.*Reason: hotfix/,
    );
    const { text, markup } = await follow(log.markup, "Changes of the queue");
    expect(text).toMatch(
      /\d+ s ago \S+ \S+ UTC tests [\da-z]{12} by the API Change the queue main done state paused → running .*concurrency \d+ → 7/,
    );
    expect(text).toContain(`Reason: ${planted}`);
    expect(text).not.toContain("Submit, or change the priority #1");
    expect(markup).toMatch(/<time datetime="[^"]+Z" title="\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC">/);
    expect(markup).not.toContain("<b>");
    expect((await follow(markup, "Show everything")).text).toContain("#1");
  });

  test("can be filtered by a person, and says so when nothing matches", async () => {
    const { text } = await look(`${page}?action=&actor=Alice`);
    expect(text).toMatch(
      /Who What Result Changes \d+ s ago \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC alice by a comment Submit/,
    );
    expect(text).not.toContain("by the API");
    expect((await look(`${page}?action=deleteQueue`)).text).toContain("No entry matches.");
  });

  test("continues with older entries", async () => {
    for (let times = 0; times < 50; times++)
      await stage.client.updateQueue({ ...stage.queue, concurrency: 2 + (times % 2) });
    const { markup } = await look(`${page}?action=updateQueue`);
    expect(markup.match(/<tr>/g)).toHaveLength(51);
    const older = await follow(markup, "Older entries");
    expect(older.text).toContain(`Reason: ${planted}`);
    expect(older.text).not.toMatch(/Older entries|#1/);
    expect((await look(`${page}?cursor=1-x`)).status).toBe(404);
  });

  test("shows in one row what is alike, so that the uploads of jobs do not hide what people do", async () => {
    const { repo } = stage.queue;
    for (const run_id of ["1", "2", "3"])
      await stage.client.uploadTestResults({
        ...{ repo, run_id, head_sha: "a".repeat(40), tree_sha: "b".repeat(40), branch: "main" },
        ...{ kind: "stable", job: "test", step_failed: false },
        reports: [{ path: "a.xml", content: '<testsuite><testcase name="greets"/></testsuite>' }],
      });
    const { markup, text } = await look(page);
    expect(text).toMatch(/Upload test results done 3 times, first \d+ s ago \d+ s ago \S+ \S+ UTC tests/);
    expect(markup.match(/Upload test results <\/td>/g)).toHaveLength(1);
  });

  test("is for administrators of the repository, and for anybody else it does not exist", async () => {
    const missing = await look(`${page}-nosuch`, await signIn(["read", "admin"], "other"));
    const readers = [await signIn(["read"]), await signIn(["read", "admin"], "other")];
    for (const reader of readers) expect(await look(page, reader)).toEqual({ ...missing, status: 404 });
    expect((await look(stage.pageUrl, readers[0])).text).not.toContain("audit log");
    const stranger = await look(page, "");
    expect(stranger.status).toBe(401);
    expect(stranger.text).not.toContain("concurrency");
  });

  test("has a name for every command about a repository", () => {
    const commands = Object.entries(endpoints).filter(
      ([, { kind, body }]) => kind === "command" && "shape" in body && "repo" in body.shape,
    );
    expect(Object.keys(actionNames).sort()).toEqual(commands.map(([name]) => name).sort());
  });

  browserTest("fits on small screens, with text of any kind", async () => {
    await stage.client.updateQueue({ ...stage.queue, state: "paused", reason: planted });
    const browser = await launchBrowser();
    try {
      const context = await browser.newContext({ extraHTTPHeaders: { cookie: admin } });
      const opened = await context.newPage();
      const problems: string[] = [];
      opened.on("console", (message) => problems.push(message.text()));
      for (const width of [320, 390, 1_280]) {
        await opened.setViewportSize({ width, height: 800 });
        await opened.goto(`${page}?action=updateQueue`);
        expect(await opened.locator("main").innerText()).toContain(`Reason: ${planted.slice(0, 12)}`);
        const scrolled = await opened.evaluate("document.documentElement.scrollWidth");
        expect({ width, scrolled }).toEqual({ width, scrolled: width });
        // The queue's page shows the reason, too.
        await opened.goto(stage.pageUrl);
        const facts = await opened.locator("p.facts").boundingBox();
        expect(facts?.width).toBeLessThanOrEqual(width);
        expect(await opened.evaluate("document.querySelector('p.facts').scrollWidth")).toBe(facts?.width);
      }
      expect(problems).toEqual([]);
    } finally {
      await browser.close();
    }
  });
});
