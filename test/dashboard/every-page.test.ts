import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test as jestTest } from "@jest/globals";
import type { Browser, Page } from "playwright-core";
import type { Entry } from "../../src/engine/model/entry.ts";
import { openStore } from "../../src/store/sqlite/open-store.ts";
import { buildEntry } from "../contract/build-entry.ts";
import { buildCommit } from "../contract/build-queue.ts";
import { launchBrowser } from "../runner/browser.ts";
import { eventually } from "../scenarios/eventually.ts";
import { Stage } from "../scenarios/stage.ts";
import { routesWithout } from "./rights.ts";
import { browserTest } from "./viewers.ts";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
/** The folder for pictures of each page, for people who change the pages. */
const { PAGE_PICTURES: pictures } = process.env;

/** What others may write into a title or the name of a branch. */
const planted = `<script>alert(1)</script> \u202Etxet \u001B[31mred ${"long".repeat(2_500)}`;

let stage: Stage;
let browser: Browser | null = null;
let webhook: string;
let test: string;
/** Of an administrator, who sees the most. */
let session: { readonly name: string; readonly value: string; readonly url: string };

beforeAll(async () => {
  stage = await Stage.open({
    queue: { state: "paused", requiredStatuses: ["build"] },
    environment: {
      TRAINYARD_DASHBOARD: "public",
      TRAINYARD_ENCRYPTION_KEY: randomBytes(32).toString("base64"),
      TRAINYARD_WEBHOOK_ALLOW_PRIVATE: "true",
    },
    requiredChecks: null,
  });
  await stage.issueToken({ organisation: "acme", name: planted.slice(0, 100), scopes: ["read"] });
  const description = planted.slice(0, 200);
  // Nobody listens there, so that a failed delivery is shown.
  const { id } = await stage.client.createWebhook({
    url: `http://127.0.0.1:9/${"x".repeat(300)}`,
    description,
  });
  webhook = `/webhooks/acme/${id}`;
  await stage.client.updateQueue({
    ...stage.queue,
    acceptFromHead: [planted.slice(0, 1_000)],
    reason: planted.slice(0, 200),
  });
  const title = planted.slice(0, 250);
  const number = await stage.openPullRequest("waits", undefined, { title });
  await stage.client.submitPullRequest({ ...stage.queue, pr: { number } });
  test = await uploadPlantedTests();
  const store = await openStore(stage.databaseUrl);
  const [queue] = await store.queues.list();
  await store.queues.commit(buildCommit({ queueId: queue?.id ?? "", entries: endedEntries() }));
  await store.close();
  const body = new URLSearchParams({ token: stage.token });
  const signedIn = await fetch(`${stage.url}/login`, { method: "POST", body, redirect: "manual" });
  const [name = "", value = ""] = signedIn.headers.getSetCookie()[0]?.split(";")[0]?.split("=") ?? [];
  session = { name, value, url: stage.url };
});
afterAll(async () => {
  await browser?.close();
  await stage.close();
});

function endedEntries(): readonly Entry[] {
  const now = Date.now();
  return [
    buildEntry({ pr: 900, title: planted, headRef: planted, author: planted.slice(0, 300) }),
    buildEntry({ pr: 901, title: "Add login", author: "carol" }),
  ].map((entry) => ({
    ...{ ...entry, state: "failed", stateChangedAt: now, submittedAt: now - 600_000 },
    reason: { code: "CONFIGURATION_INVALID", message: planted },
  }));
}

/** Uploads two tests that fail in the same runs and pass afterwards. Returns the path of the first one's page. */
async function uploadPlantedTests(): Promise<string> {
  const { repo } = stage.queue;
  // XML permits no control characters, but pytest writes them like this.
  const text = planted.replace("\u001B", "#x1B").replaceAll("<", "&lt;");
  for (const run of ["1", "2", "3"])
    for (const attempt of [1, 2]) {
      const failure = attempt === 1 ? `<failure message="${text}">${text}</failure>` : "";
      const cases = ["one", "two"].map(
        (name) => `<testcase name="${name} ${text}" file="${name}/${text}">${failure}</testcase>`,
      );
      await stage.client.uploadTestResults({
        ...{ repo, branch: "planted", job: planted.slice(0, 250) },
        ...(run === "1" ? { kind: "stable" as const } : { kind: "pr" as const, pr: { number: Number(run) } }),
        ...{ head_sha: run.repeat(40), tree_sha: run.repeat(40), run_id: planted.slice(0, 90) + run },
        ...{ run_attempt: attempt, step_failed: attempt === 1, quarantine: false },
        reports: [{ path: "a.xml", content: `<testsuite name="suite">${cases.join("")}</testsuite>` }],
      });
    }
  const org_url_slug = repo.owner;
  const listed = await eventually(async () => {
    const { tests } = await stage.client.listUnhealthyTests({
      repo,
      org_url_slug,
      page_query: { page_size: 9 },
    });
    return tests.length === 2 ? tests : null;
  }, "two flaky tests");
  return `/tests/${repo.host}/acme/widgets/${listed[0]?.id}`;
}

const queue = () => new URL(stage.pageUrl).pathname;
const pages: Readonly<Record<string, () => string>> = {
  overview: () => "/",
  search: () => "/search?q=login",
  "search by SHA": () => `/search?q=${"a".repeat(40)}`,
  "empty search": () => "/search?q=nothing+like+it",
  queue,
  history: () => `${queue()}/history?outcome=failed`,
  past: () => `${queue()}/past?at=${encodeURIComponent(planted.slice(0, 90))}`,
  "past of an earlier queue": () => `${queue()}/past?at=2020-01-01T00:00:00Z&span=7d`,
  "pull request": () => `${queue()}/pulls/1`,
  "pull request that left": () => `${queue()}/pulls/900`,
  "audit log": () => `/audit/${encodeURIComponent(stage.queue.repo.host)}/acme/widgets`,
  settings: () => `${queue()}/settings`,
  "settings of tests": () => `/tests/${stage.queue.repo.host}/acme/widgets/settings`,
  "GitHub App": () => "/app",
  "API tokens": () => "/tokens/acme",
  webhooks: () => "/webhooks/acme",
  webhook: () => webhook,
  "webhooks of others": () => "/webhooks/other",
  "sign in": () => "/login?next=/",
  "sign in of a command line": () => `/login/cli?code=${encodeURIComponent(planted.slice(0, 90))}`,
  "own sign-ins": () => "/login/own",
  health: () => `${queue()}/health?range=1h`,
  "what if": () => `${queue()}/what-if`,
  doctor: () => `${queue()}/doctor`,
  tests: () => `/tests/${stage.queue.repo.host}/acme/widgets`,
  "no test": () =>
    `/tests/${stage.queue.repo.host}/acme/widgets?q=${encodeURIComponent(planted.slice(0, 90))}!`,
  test: () => test,
  reference: () => "/docs",
  "next steps": () => "/setup/next",
  "missing page": () => `${queue()}-nosuch`,
};

/** Forms whose answer is a page of its own: its heading, the page with the form, and what somebody enters. */
const answers: Readonly<
  Record<string, readonly [RegExp, () => string, string, Readonly<Record<string, string>>]>
> = {
  "question before a cancel": [/^Cancel /, queue, "/actions", { action: "cancel", pr: "1" }],
  "question before a drain": [/^Drain /, queue, "/actions", { action: "drain" }],
  "question before other settings": [
    /^Change 2 settings/,
    () => `${queue()}/settings`,
    "",
    { acceptFromHead: planted.slice(0, 900), concurrency: "2" },
  ],
  "settings to correct": [
    /^Settings/,
    () => `${queue()}/settings`,
    "",
    { enqueueingLabel: planted.slice(0, 300) },
  ],
  "new token": [
    /^The new token/,
    () => "/tokens/acme",
    "",
    { action: "create", name: planted.slice(0, 90), scope: "read" },
  ],
  "question before a token ends": [/^Revoke /, () => "/tokens/acme", "", { action: "revoke" }],
  "question before a new secret": [/^Rotate /, () => webhook, "/actions", { action: "rotate" }],
  "quarantined test": [
    /^(one|two) /,
    () => test,
    "/quarantine",
    { mode: "NEVER", reason: planted.slice(0, 450) },
  ],
};

jestTest("each page of the service is among these", () => {
  expect(routesWithout(Object.values(pages).map((path) => path()))).toEqual([]);
});

browserTest.each([...Object.keys(pages), ...Object.keys(answers)])(
  "the page %s is accessible in light and dark and by keyboard, and is never wider than the window",
  async (name) => {
    browser ??= await launchBrowser();
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    await page.context().addCookies([session]);
    const problems: string[] = [];
    page.on("console", (message) => {
      if (!/status of 4(0[0134]|22)/.test(message.text())) problems.push(message.text());
    });
    page.on("pageerror", ({ message }) => problems.push(message));
    page.on("dialog", (dialog) => problems.push(`a dialog: ${dialog.message()}`));
    const [heading, form, action = "", fields = {}] = answers[name] ?? [];
    await page.goto(stage.url + (form ?? pages[name])?.());
    if (form) await send(page, `${form()}${action}`, fields);
    if (heading) expect(await page.locator("h1").innerText()).toMatch(heading);
    for (const colorScheme of ["light", "dark"] as const)
      for (const width of [1280, 390, 320]) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width, height: 900 });
        const widest = await page.evaluate("document.documentElement.scrollWidth");
        if (pictures) await page.screenshot({ path: join(pictures, `${name}-${colorScheme}-${width}.png`) });
        expect({ width, widest }).toEqual({ width, widest: width });
      }
    await page.evaluate(axe);
    // The sizes of the large page take axe long, and its colours are those of the others.
    const schemes = name === "reference" ? (["light"] as const) : (["light", "dark"] as const);
    for (const colorScheme of schemes) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width: colorScheme === "light" ? 1280 : 390, height: 900 });
      expect(await page.evaluate(violations)).toEqual([]);
    }
    // So many links take long, and they are links like those of the other pages.
    if (name !== "reference") expect(await unreachableIn(page)).toEqual([]);
    expect(problems).toEqual([]);
    await page.close();
  },
);

/** Sends a form with the hidden fields of the page and these. */
async function send(page: Page, path: string, fields: Readonly<Record<string, string>>): Promise<void> {
  await Promise.all([
    page.waitForEvent("load"),
    page.evaluate(
      `((path, fields) => {
        const form = document.createElement("form");
        const hidden = [...document.querySelectorAll("input[type=hidden]")].map(({ name, value }) => [name, value]);
        for (const [name, value] of Object.entries({ ...Object.fromEntries(hidden), ...fields })) {
          const field = document.createElement("textarea");
          Object.assign(field, { name, value });
          form.append(field);
        }
        document.body.append(form);
        Object.assign(form, { method: "post", action: path }).submit();
      })(${JSON.stringify(path)}, ${JSON.stringify(fields)})`,
    ),
  ]);
}

/** Runs in the page. */
const violations = `axe.run().then(({ violations }) =>
  violations.map(({ id, nodes }) => [id, nodes.length, nodes[0].html.slice(0, 300)].join(" ")))`;

/** Returns what the Tab key does not reach, or not visibly. */
async function unreachableIn(page: Page): Promise<unknown> {
  const presses = await page.evaluate(watchFocus);
  for (let press = 0; press < Number(presses); press++) await page.keyboard.press("Tab");
  return page.evaluate(
    "controls.filter((one) => !reached.has(one)).map((one) => one.outerHTML.slice(0, 300))",
  );
}

/** Runs in the page. A date field has a stop for each of its parts. */
const watchFocus = `
  globalThis.reached = new Set();
  globalThis.controls = [...document.querySelectorAll("a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex='0']")]
    .filter((one) => one.checkVisibility() && !one.disabled);
  document.activeElement?.blur();
  document.addEventListener("focusin", ({ target }) => {
    const { outlineStyle, boxShadow } = getComputedStyle(target);
    if (outlineStyle !== "none" || boxShadow !== "none") reached.add(target);
  });
  controls.length + 7 * controls.filter(({ type }) => /^date/.test(type)).length + 1`;
