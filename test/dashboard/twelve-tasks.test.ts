import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect } from "@jest/globals";
import type { Browser as Chromium } from "playwright-core";
import { pullRequestPath } from "../../src/dashboard/paths.ts";
import { launchBrowser } from "../runner/browser.ts";
import { eventually } from "../scenarios/eventually.ts";
import { Gate } from "../scenarios/gate.ts";
import { at } from "../scenarios/github-users.ts";
import { MovedClock } from "../scenarios/moved-clock.ts";
import { Stage } from "../scenarios/stage.ts";
import { KeyboardVisit } from "./keyboard-visit.ts";
import { Browser } from "./signed-in-browser.ts";
import { browserTest } from "./viewers.ts";

const dayMs = 86_400_000;

let stage: Stage;
let chromium: Chromium | null = null;
/** A pull request that failed, one whose tests do not end, and three behind it. */
let failed: number;
let slow: number;
let waiting: number[];
/** The tree of the run that failed. */
let testedTree: string;
/** The cookies of an administrator of the repository, of an owner of the organisation, and of a token that may do everything in it. */
let person: string;
let owner: string;
let token: string;

const clock = new MovedClock();
const gate = new Gate();

beforeAll(async () => {
  let isFailing = true;
  clock.pass(-dayMs);
  stage = await Stage.open({
    queue: { requiredStatuses: ["build"], policy: "fixed", concurrency: 2, testingTimeoutMinutes: 1_000 },
    ci: {
      pullRequests: false,
      lastStep: async (job) => (isFailing ? "failure" : gate.lastStep(job)),
    },
    requiredChecks: null,
    clock: { now: () => clock.now() },
    environment: {
      TRAINYARD_DASHBOARD: "token",
      TRAINYARD_ENCRYPTION_KEY: randomBytes(32).toString("base64"),
    },
  });
  await stage.client.updateQueue({ ...stage.queue, concurrency: 3, reason: "CI has more runners." });
  clock.pass(dayMs);
  await stage.client.createWebhook({ url: "https://chat.example/T0/secret-9876" });
  stage.sandbox.createUser({ login: "olga" });
  stage.sandbox.setMembership("acme", "olga", { role: "admin", state: "active" });
  const [admin, olga, mighty] = [new Browser(stage), new Browser(stage), new Browser(stage)];
  await admin.signIn(stage.pageUrl, "admin");
  await olga.signIn(stage.pageUrl, "olga");
  await mighty.signInWithToken(await stage.issueToken({ organisation: "acme", scopes: ["admin"] }));
  [person, owner, token] = [admin.cookies, olga.cookies, mighty.cookies];

  failed = await submit("broken");
  await stage.until(failed, "failed");
  isFailing = false;
  await reportFailure(await (await admin.open(`${stage.url}${pathOf(failed)}`)).text());
  await reportFlakes();
  slow = await submit("slow");
  await stage.until(slow, "testing");
  clock.pass(61 * 60_000);
  waiting = [];
  for (const name of ["second", "third", "fourth"]) waiting.push(await submit(name));
  await eventually(async () => (await stage.client.getQueue(stage.queue)).stall ?? null, "the alarm");
});
afterAll(async () => {
  await chromium?.close();
  gate.open();
  await stage.close();
});

const pathOf = (pr: number) => pullRequestPath({ repo: stage.queue.repo, branch: "main" }, pr);

async function submit(name: string): Promise<number> {
  const number = await stage.openPullRequest(name, undefined, { settle: false });
  await stage.client.submitPullRequest({ ...stage.queue, pr: { number } });
  return number;
}

/** Reports which test failed in the run that a page shows. */
async function reportFailure(page: string): Promise<void> {
  const [, run = "", sha = ""] =
    /id="run-([^"]+)"[\s\S]*?\/commit\/\w+"[\s\S]*?\/commit\/(\w{40})"/.exec(page) ?? [];
  const { data } = await stage.octokit("alice").rest.git.getCommit({ ...at, commit_sha: sha });
  testedTree = data.tree.sha;
  await report(["turns left"], { head_sha: sha, tree_sha: testedTree, kind: "queue", run_id: run });
}

/** Two tests that fail on and off. Only the first one also fails a pull request. */
async function reportFlakes(): Promise<void> {
  const { repo } = stage.queue;
  await stage.client.updateTestSettings({ repo, quarantining: false });
  for (const [run, name] of ["pays by card", "pays by card", "ships abroad", "ships abroad"].entries())
    for (const attempt of [1, 2])
      await report(attempt === 1 ? [name] : [], {
        ...{ head_sha: "a".repeat(40), tree_sha: String(run).repeat(40), branch: "main", kind: "stable" },
        ...{ run_id: String(run), run_attempt: attempt },
      });
  const about = { repo, org_url_slug: repo.owner };
  const tests = await eventually(async () => {
    const page = { ...about, page_query: { page_size: 10 } };
    const { tests } = await stage.client.listUnhealthyTests(page);
    return tests.length === 2 ? tests : null;
  }, "two flaky tests");
  await report(["pays by card"], {
    ...{ head_sha: "b".repeat(40), tree_sha: "b".repeat(40), branch: "feature", kind: "pr" },
    ...{ pr: { number: 7 }, run_id: "pr" },
  });
  const costly = { ...about, test_id: tests.find(({ name }) => name === "pays by card")?.id ?? "" };
  await eventually(async () => {
    const { test } = await stage.client.getTestDetails(costly);
    return test.pull_requests_impacted_last_7d > 0 ? test : null;
  }, "its cost");
}

async function report(failures: readonly string[], changes: object): Promise<void> {
  const cases = ["pays by card", "ships abroad", "turns left"].map((name) =>
    failures.includes(name)
      ? `<testcase name="${name}"><failure message="no"/></testcase>`
      : `<testcase name="${name}"/>`,
  );
  await stage.client.uploadTestResults({
    ...{ repo: stage.queue.repo, branch: "trainyard-merge/x", kind: "queue", job: "test", run_attempt: 1 },
    ...{ head_sha: "", tree_sha: "", run_id: "", step_failed: failures.length > 0 },
    reports: [{ path: "a.xml", content: `<testsuite>${cases.join("")}</testsuite>` }],
    ...changes,
  });
}

/** The next Friday after today, as people write it in a date field, and as dates are shown. */
function nextFriday(): { readonly typed: string; readonly shown: string } {
  const today = new Date(clock.now());
  const days = (5 - today.getUTCDay() + 7) % 7 || 7;
  const shown = new Date(clock.now() + days * dayMs).toISOString().slice(0, 10);
  const [year, month, day] = shown.split("-");
  return { typed: `${month}${day}${year}`, shown };
}

const queue = "acme/widgets";
const textOf = async ({ page }: KeyboardVisit) =>
  (await page.locator("main").innerText()).replaceAll(/\s+/g, " ");
const resultOf = ({ page }: KeyboardVisit) => page.getByRole("status").first().innerText();

const tasks: Readonly<Record<string, (visit: KeyboardVisit) => Promise<void>>> = {
  async "why is a pull request waiting"(visit) {
    await visit.press("link", queue);
    await visit.press("link", `#${waiting[0]} Add second`);
    expect(await textOf(visit)).toMatch(new RegExp(`Why it has not merged yet .*#${slow}`));
  },
  async "which test failed in the last run of a pull request"(visit) {
    await visit.write(/^Search/, `#${failed}`);
    await visit.press("button", "Search");
    await visit.press("link", `#${failed}`);
    expect(await textOf(visit)).toMatch(/Failed tests turns left test, attempt 1/i);
  },
  async "what did the queue look like when a pull request failed"(visit) {
    await visit.write(/^Search/, `#${failed}`);
    await visit.press("button", "Search");
    await visit.press("link", `#${failed}`);
    const step = visit.page.getByRole("listitem").filter({ hasText: "equired check failed" }).last();
    await visit.press("link", /^\d\d:\d\d/, step);
    expect(await textOf(visit)).toMatch(new RegExp(`in the past .*#${failed}`));
  },
  async "was this exact tree tested, and by which run"(visit) {
    await visit.write(/^Search/, testedTree);
    await visit.press("button", "Search");
    expect(await textOf(visit)).toContain(`Was ${testedTree} tested? failed Yes.`);
    await visit.press("link", /^started/);
    expect(visit.page.url()).toMatch(new RegExp(`/pulls/${failed}#run-`));
  },
  async "who is blocking main right now"(visit) {
    expect(await textOf(visit)).toContain(`nothing has merged for 1 h. #${slow}`);
    await visit.press("link", `#${slow}`);
    expect(await textOf(visit)).toMatch(/Add slow .* by alice .*build/);
  },
  async "who changed the settings yesterday"(visit) {
    await visit.press("link", queue);
    await visit.press("link", "audit log");
    await visit.press("link", "Changes of the queue");
    expect(await textOf(visit)).toMatch(
      /1 d ago \S+ \S+ UTC tests .* Change the queue .* concurrency 2 → 3 Reason: CI has more runners\./,
    );
  },
  async "which flaky test costs most"(visit) {
    await visit.press("link", "tests");
    expect(await textOf(visit)).toMatch(/pays by card .*ships abroad/);
  },
  async "raise a priority"(visit) {
    await visit.press("link", queue);
    await visit.tick(`Select #${waiting[2]}`);
    await visit.press("button", "Change priority");
    await visit.press("button", /^Yes, change the priority/);
    expect(await resultOf(visit)).toBe(`Changed the priority of #${waiting[2]} to high.`);
  },
  async "cancel three pull requests"(visit) {
    await visit.press("link", queue);
    for (const pr of waiting) await visit.tick(`Select #${pr}`);
    await visit.press("button", "Cancel");
    await visit.press("button", /^Yes, cancel/);
    for (const pr of waiting) expect((await stage.look(pr))?.state).toBe("cancelled");
  },
  async "quarantine a test until Friday"(visit) {
    const { typed, shown } = nextFriday();
    await visit.press("link", "tests");
    await visit.press("link", "ships abroad");
    await visit.write(/^Decide/, "forgive its failures until");
    await visit.write(/^Until/, typed);
    await visit.write("Why", "The customs API is down.");
    await visit.press("button", "Set");
    expect(await resultOf(visit)).toContain(`until the end of ${shown}`);
  },
  async "rotate a webhook's secret"(visit) {
    await visit.press("link", "Webhooks of acme");
    await visit.press("button", /^Rotate the secret of .*9876$/);
    await visit.press("button", "Yes, rotate the secret");
    expect(await visit.page.locator("pre").innerText()).toMatch(/^whsec_[\w+/]+=*$/);
  },
  async "pause with a reason"(visit) {
    await visit.press("link", queue);
    await visit.press("button", "Pause");
    await visit.write("Reason", "A release.");
    await visit.press("button", "Yes, pause the queue of main");
    expect(await textOf(visit)).toContain("Set by @admin: A release");
    expect((await stage.client.getQueue(stage.queue)).state).toBe("paused");
  },
};
type Visit = readonly [task: string, who: string, cookies: () => string];

/** Each task, and somebody who may do it. */
const visits = Object.keys(tasks).flatMap((name): readonly Visit[] => {
  if (name !== "rotate a webhook's secret") return [[name, "an administrator", () => person]];
  return [
    [name, "an owner of the organisation", () => owner],
    [name, "a token", () => token],
  ];
});

browserTest.each(visits)(
  "with the keyboard alone, and in three clicks from the overview: %s, as %s",
  async (name, _who, cookies) => {
    chromium ??= await launchBrowser();
    const visit = await KeyboardVisit.open(chromium, stage.url, cookies());
    try {
      await tasks[name]?.(visit);
      expect(visit.problems).toEqual([]);
    } finally {
      await visit.close();
    }
  },
);
