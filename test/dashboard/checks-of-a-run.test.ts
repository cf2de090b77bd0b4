import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { Octokit, RestEndpointMethodTypes } from "@octokit/rest";
import { launchBrowser } from "../runner/browser.ts";
import { appClient } from "../sandbox/scene.ts";
import { deliver } from "../scenarios/deliver.ts";
import { eventually } from "../scenarios/eventually.ts";
import { GitHubProxy } from "../scenarios/github-proxy.ts";
import { at } from "../scenarios/github-users.ts";
import { Stage } from "../scenarios/stage.ts";
import { textOf } from "./page-text.ts";
import { browserTest } from "./viewers.ts";

const minuteMs = 60_000;

let stage: Stage;
let proxy: GitHubProxy;
/** An App that reports the check `deploy`. */
let app: Octokit;
/** A pull request whose failed check reports planted text. */
let hostile: number;
/** The session of somebody who may read the repository. */
let member: string;

type Annotation = NonNullable<
  NonNullable<RestEndpointMethodTypes["checks"]["create"]["parameters"]["output"]>["annotations"]
>[number];

beforeAll(async () => {
  stage = await Stage.open({
    queue: { publicPage: true, requiredStatuses: ["build", "deploy"], policy: "fixed", batch: false },
    requiredChecks: null,
    environment: { TRAINYARD_DASHBOARD: "token", TRAINYARD_RECONCILE_MS: "200" },
    through: async (url) => {
      proxy = await GitHubProxy.start(url);
      return proxy.host;
    },
  });
  const { data } = await appClient(stage.sandbox).rest.apps.getRepoInstallation(at);
  app = appClient(stage.sandbox, { installationId: data.id });
  const body = new URLSearchParams({ token: stage.token });
  const signedIn = await fetch(`${stage.url}/login`, { method: "POST", body, redirect: "manual" });
  member = signedIn.headers.getSetCookie()[0]?.split(";")[0] ?? "";
});
afterAll(async () => {
  await stage.close();
  await proxy.close();
});

/** Submits a pull request. Returns it with the commit that is tested. */
async function submit(name: string) {
  const pr = await stage.openPullRequest(name);
  await stage.client.submitPullRequest({ ...stage.queue, pr: { number: pr } });
  const head_sha = await eventually(async () => {
    const { data } = await app.rest.git.listMatchingRefs({ ...at, ref: `heads/trainyard-merge/pr-${pr}/` });
    return data[0]?.object.sha ?? null;
  }, "a commit under test");
  return { pr, head_sha };
}

async function read(pr: number, cookie = ""): Promise<string> {
  const answer = await fetch(`${stage.pageUrl}/pulls/${pr}`, { headers: { cookie } });
  return textOf(await answer.text());
}

const untilShown = (pr: number, text: RegExp) =>
  eventually(async () => ((await read(pr)).match(text) ? true : null), `the page to show ${text}`);

const timeBefore = (ms: number) => new Date(Date.now() - ms).toISOString();

test("a check shows how long it has been queued and running, then how long it took", async () => {
  const { pr, head_sha } = await submit("times");
  const started_at = timeBefore(3 * minuteMs);
  const { data } = await app.rest.checks.create({ ...at, name: "deploy", head_sha, started_at });
  await untilShown(pr, /queued deploy for 3 min/);
  await app.rest.checks.update({ ...at, check_run_id: data.id, status: "in_progress" });
  await untilShown(pr, /running deploy for 3 min/);
  await app.rest.checks.update({
    ...{ ...at, check_run_id: data.id, status: "completed", conclusion: "success" },
    completed_at: new Date(Date.parse(started_at) + 125_000).toISOString(),
  });
  await stage.until(pr, "merged");
  const text = await read(pr);
  expect(text).toMatch(/passed deploy took 2 min 5 s, ended \d+ (s|min.*) after the push/);
  expect(text).toMatch(/passed build took \d+ s, ended \d+ s after the push/);
});

test.each([
  ["a webhook tells when a check began", timeBefore(5 * minuteMs), "for 5 min"],
  ["a webhook with a time that cannot be read still tells that a check began", "soon", ""],
])("%s", async (_name, started_at, shown) => {
  const { pr, head_sha } = await submit(`webhook-${shown.length}`);
  const check_run = {
    ...{ id: 1_000_000_000, name: "deploy", head_sha, status: "in_progress", conclusion: null },
    ...{ html_url: null, app: { id: 77 }, check_suite: { id: 1 }, started_at, completed_at: null },
  };
  await deliver(stage, "check_run", {
    action: "created",
    check_run,
    sender: { login: "ci", id: 1, type: "Bot" },
  });
  await untilShown(pr, new RegExp(`running deploy ${shown}`));
  await stage.client.cancelPullRequest({ ...stage.queue, pr: { number: pr } });
});

test("times that cannot be those of the check are not shown", async () => {
  const { pr, head_sha } = await submit("wrong-times");
  const check = { ...at, name: "deploy", head_sha, status: "completed", conclusion: "success" } as const;
  await app.rest.checks.create({ ...check, started_at: "0001-01-01T00:00:00Z" });
  await stage.until(pr, "merged");
  expect(await read(pr)).toMatch(/passed deploy ended \d+ s after the push/);
});

const annotation = { path: "src/a.ts", start_line: 12, end_line: 12, annotation_level: "failure" } as const;
const ownStep = { ...annotation, path: ".github", message: "Process completed with exit code 1." };
/** What others may write. */
const planted = `<script>alert(1)</script> \u202Etxet \u001B[31mred\u001B[0m\u0000 ${"long".repeat(2_500)}`;

async function failWith(name: string, annotations: readonly Annotation[]): Promise<number> {
  const { pr, head_sha } = await submit(name);
  const output = { title: "Failed", summary: "It failed.", annotations: [...annotations] };
  const failed = { status: "completed", conclusion: "failure" } as const;
  await app.rest.checks.create({ ...at, name: "deploy", head_sha, ...failed, output });
  await stage.until(pr, "failed");
  return pr;
}

/** Waits until a page shows to members what GitHub says. A page waits for GitHub for a second; the next one shows a late answer. */
const untilTold = (pr: number) =>
  eventually(async () => {
    const text = await read(pr, member);
    return /say on GitHub (?!GitHub has not answered)/.test(text) ? text : null;
  }, "what GitHub says");

const fault = { operation: "checks/list-annotations", side: "before" } as const;
const callsForAnnotations = () => stage.sandbox.requests.countByOperation()[fault.operation] ?? 0;

test("a failed check without a test report shows its annotations to members, which are read once", async () => {
  const warning = { ...annotation, annotation_level: "warning", message: "slow" } as const;
  const named = { ...annotation, title: "turns left", message: "expected 1, got 2" };
  const many = Array.from({ length: 11 }, (_, index) => ({ ...annotation, message: `failure ${index}` }));
  const pr = await failWith("annotated", [warning, ownStep, named, ...many]);
  const before = callsForAnnotations();
  const text = await untilTold(pr);
  expect(text).toMatch(
    /failed deploy .* What the failed checks say on GitHub turns left: expected 1, got 2 src\/a\.ts:12 , deploy failure 0 .* failure 8 src\/a\.ts:12 , deploy and 2 more/,
  );
  expect(text).not.toMatch(/slow|exit code 1|failure 9/);
  expect(await read(pr, member)).toContain("turns left");
  expect(callsForAnnotations() - before).toBe(1);
  expect(await read(pr)).not.toContain("turns left");
});

test("what others write into an annotation is harmless, and short", async () => {
  hostile = await failWith("planted", [
    { ...annotation, path: `a/${planted}`, title: planted.slice(0, 255), message: planted },
  ]);
  await untilTold(hostile);
  const page = await (
    await fetch(`${stage.pageUrl}/pulls/${hostile}`, { headers: { cookie: member } })
  ).text();
  const [, shown = ""] = /What the failed checks say on GitHub<\/h4>(.*?)<\/ul>/s.exec(page) ?? [];
  expect(textOf(shown)).toContain("<script>alert(1)</script> txet red");
  expect(shown).not.toContain("<script>");
  expect(shown).not.toMatch(/\[31m|[\p{Cc}\p{Bidi_Control}]/u);
  expect(shown.length).toBeLessThan(1_500);
  expect(shown).toContain("…:12</bdi>");
});

browserTest("a page with such an annotation fits small screens without complaints", async () => {
  const browser = await launchBrowser();
  try {
    const [name = "", value = ""] = member.split("=");
    for (const width of [320, 390]) {
      const context = await browser.newContext({ viewport: { width, height: 800 } });
      await context.addCookies([{ name, value, url: stage.url }]);
      const page = await context.newPage();
      const problems: string[] = [];
      page.on("console", (message) => problems.push(message.text()));
      page.on("pageerror", ({ message }) => problems.push(message));
      await page.goto(`${stage.pageUrl}/pulls/${hostile}`);
      await page.getByText("What the failed checks say on GitHub").waitFor();
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(width);
      expect(problems).toEqual([]);
    }
  } finally {
    await browser.close();
  }
});

test("an annotation that names only a failed step is shown if there is no other, without a place", async () => {
  const pr = await failWith("step", [ownStep]);
  expect(await untilTold(pr)).toMatch(/say on GitHub Process completed with exit code 1\. deploy Timeline/);
});

const unanswered = "GitHub has not answered yet. Reload the page.";

test("the page says that GitHub does not tell what failed, and does not ask it again at once", async () => {
  const pr = await failWith("outage", [{ ...annotation, message: "unseen" }]);
  stage.sandbox.faults.next({ ...fault, kind: "not_found" });
  const before = callsForAnnotations();
  expect(await read(pr, member)).toContain(unanswered);
  expect(await read(pr, member)).toContain(unanswered);
  expect(callsForAnnotations() - before).toBe(1);
});

test("the page does not wait long for GitHub, and shows a late answer when it is read again", async () => {
  const pr = await failWith("slow", [{ ...annotation, message: "late" }]);
  const answered = Promise.withResolvers<void>();
  proxy.beforeNext("GET", /\/annotations\b/, () => answered.promise);
  expect(await read(pr, member)).toContain(unanswered);
  expect(await read(pr, member)).toContain(unanswered);
  answered.resolve();
  expect(await untilTold(pr)).toContain("late src/a.ts:12");
});
