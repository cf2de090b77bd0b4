import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { launchBrowser } from "../runner/browser.ts";
import { eventually } from "../scenarios/eventually.ts";
import { Stage } from "../scenarios/stage.ts";
import { textOf } from "./page-text.ts";
import { Browser } from "./signed-in-browser.ts";
import { browserTest } from "./viewers.ts";

/** A queue whose tests do not end before the stage closes. */
async function openStage(): Promise<{ stage: Stage; close: () => Promise<void> }> {
  const gate = Promise.withResolvers<void>();
  const stage = await Stage.open({
    queue: { requiredStatuses: ["build"], concurrency: 3, policy: "fixed" },
    ci: {
      pullRequests: false,
      lastStep: async () => {
        await gate.promise;
        return "success";
      },
    },
    requiredChecks: null,
    environment: { TRAINYARD_DASHBOARD: "token" },
  });
  const close = async () => {
    gate.resolve();
    await stage.close();
  };
  return { stage, close };
}

async function submit(stage: Stage, ...prs: number[]): Promise<void> {
  for (const number of prs) await stage.client.submitPullRequest({ ...stage.queue, pr: { number } });
}

const actionsPath = (stage: Stage) => `${new URL(stage.pageUrl).pathname}/actions`;

const entryActions = ["priority", "restart", "cancel"] as const;
const queueActions = ["pause", "drain", "resume"] as const;
type ActionName = (typeof entryActions)[number] | (typeof queueActions)[number];
type Verdict = "done" | "form" | "forbidden" | "not found";
const all = (verdict: Verdict) => ({ entries: verdict, queue: verdict });

/** What becomes of every action on a pull request of alice. */
const matrix: Readonly<Record<string, { readonly entries: Verdict; readonly queue: Verdict }>> = {
  nobody: all("form"),
  "a stranger": all("not found"),
  "a reader": all("forbidden"),
  "a writer": all("forbidden"),
  "the author": { entries: "done", queue: "forbidden" },
  "an administrator": all("done"),
  "an administrator whose role was withdrawn a moment ago": all("not found"),
  "a token that may read": all("forbidden"),
  "a token that may submit": { entries: "done", queue: "forbidden" },
  "a token that may administrate": { entries: "forbidden", queue: "done" },
};

describe("who may do what", () => {
  let stage: Stage;
  let close: () => Promise<void>;
  let pr: number;

  beforeAll(async () => {
    ({ stage, close } = await openStage());
    stage.sandbox.createUser({ login: "mallory" });
    stage.sandbox.createUser({ login: "ruth", permission: "admin" });
    pr = await stage.openPullRequest("wanted");
    await submit(stage, pr);
  });
  afterAll(() => close());

  /** Signs in, and returns the browser with the token of its forms. */
  async function signIn(who: string): Promise<{ browser: Browser; formToken: string; id: string | null }> {
    const browser = new Browser(stage);
    const logins: Readonly<Record<string, string>> = {
      "a stranger": "mallory",
      "a reader": "carol",
      "a writer": "bob",
      "the author": "alice",
      "an administrator": "admin",
      "an administrator whose role was withdrawn a moment ago": "ruth",
    };
    const scopes = {
      "a token that may read": ["read"],
      "a token that may submit": ["read", "submit"],
      "a token that may administrate": ["read", "queue:admin"],
    } as const;
    const login = logins[who];
    if (login !== undefined) await browser.signIn(stage.pageUrl, login);
    else if (who in scopes) {
      const token = await stage.issueToken({
        organisation: "acme",
        scopes: scopes[who as keyof typeof scopes],
      });
      await browser.signInWithToken(token);
    }
    const id = login ?? null;
    return { browser, id, formToken: browser.formToken };
  }

  test.each(Object.keys(matrix))("%s", async (who) => {
    const { browser, formToken, id } = await signIn(who);
    if (id === "ruth") stage.sandbox.setPermission("ruth", "none");
    const expected = matrix[who];
    if (expected?.queue === "not found" && id !== "ruth") {
      const nonsense = await browser.post(actionsPath(stage), {
        formToken,
        action: "nonsense",
        next: "/docs",
      });
      expect(nonsense.status).toBe(404);
    }
    for (const action of [...entryActions, ...queueActions]) {
      if (action !== "resume") await submit(stage, pr);
      if (action === "restart") await stage.until(pr, "testing");
      const fields = { formToken, action, pr: [pr], priority: "low", reason: "a release", confirmed: "yes" };
      const answer = await browser.post(actionsPath(stage), {
        ...fields,
        next: new URL(stage.pageUrl).pathname,
      });
      const verdict = verdictOf(answer.status, textOf(await answer.text()), action);
      const isEntry = (entryActions as readonly string[]).includes(action);
      expect([action, verdict]).toEqual([action, isEntry ? expected?.entries : expected?.queue]);
    }
    if (id === null) return;
    const { entries } = await stage.client.listAuditLog({ actor: id });
    const outcomes = entries.filter(({ via }) => via === "dashboard").map(({ outcome }) => outcome);
    const outcomeOf = (verdict?: Verdict) => (verdict === "done" ? "done" : "refused");
    expect(outcomes.toReversed()).toEqual([
      ...entryActions.map(() => outcomeOf(expected?.entries)),
      ...queueActions.map(() => outcomeOf(expected?.queue)),
    ]);
  });

  test("forms without the session's own token do nothing, also after the session has ended", async () => {
    const [admin, other] = [await signIn("an administrator"), await signIn("the author")];
    const post = async (formToken: string | null, headers: Record<string, string> = {}) => {
      const body = new URLSearchParams({ action: "pause", reason: "Mischief.", confirmed: "yes" });
      if (formToken !== null) body.set("formToken", formToken);
      const answer = await admin.browser.open(stage.url + actionsPath(stage), {
        method: "POST",
        body,
        headers,
      });
      expect([answer.status, await answer.text()]).toEqual([
        403,
        expect.stringContaining("FORM_OF_ANOTHER_SITE"),
      ]);
    };
    await post(null);
    await post("");
    await post("x".repeat(43));
    await post(other.formToken);
    await post(admin.formToken, { "sec-fetch-site": "cross-site" });
    await admin.browser.post("/logout", {});
    await post(admin.formToken);
    expect((await stage.client.getQueue(stage.queue)).state).toBe("running");
  });
});

function verdictOf(status: number, text: string, action: ActionName): Verdict | string {
  const done = {
    cancel: "Cancelled #1.",
    restart: "Restarted the tests of #1.",
    priority: "Changed the priority of #1 to low.",
    pause: "The queue of main is paused now.",
    drain: "The queue of main is draining now.",
    resume: "The queue of main is running now.",
  };
  if (status === 200 && text.includes(done[action])) return "done";
  if (status === 404 && text.includes("There is no such queue")) return "not found";
  if (status !== 403) return `${status} ${text}`;
  if (text.includes("FORM_OF_ANOTHER_SITE")) return "form";
  return /PERMISSION_TOO_LOW|SCOPE_MISSING/.test(text) ? "forbidden" : text;
}

describe("an action", () => {
  let stage: Stage;
  let close: () => Promise<void>;
  let admin: Browser;

  beforeEach(async () => {
    ({ stage, close } = await openStage());
    admin = new Browser(stage);
    await admin.signIn(stage.pageUrl, "admin");
  });
  afterEach(() => close());

  async function post(fields: Readonly<Record<string, string | readonly number[]>>): Promise<string> {
    const own = { formToken: admin.formToken, next: new URL(stage.pageUrl).pathname };
    return textOf(await (await admin.post(actionsPath(stage), { ...own, ...fields })).text());
  }

  async function openStack(): Promise<number[]> {
    const prs: number[] = [];
    for (const name of ["first", "second", "third", "fourth"]) prs.push(await stage.openPullRequest(name));
    await submit(stage, ...prs);
    for (const pr of prs.slice(0, 3)) await stage.until(pr, "testing");
    return prs;
  }

  test("on several pull requests at once does what its price says, and is recorded for each of them", async () => {
    const [first = 0, second = 0, third = 0, fourth = 0] = await openStack();
    const asked = await post({ action: "cancel", pr: [first, second] });
    expect(asked).toContain(`Cancel #${first} and #${second}?`);
    expect(asked).toContain(`#${first} Add first`);
    expect(asked).toContain(
      `Restarts 1 test (about 1 minute of CI): #${third} is tested again. Stops the tests of #${first} and #${second}. Starts the tests of #${fourth}.`,
    );
    expect((await stage.look(first))?.state).toBe("testing");
    const testedSince = async (pr: number) => Date.parse((await stage.until(pr, "testing")).stateChangedAt);
    const before = await testedSince(third);
    const done = await post({ action: "cancel", pr: [first, second], confirmed: "yes" });
    expect(done).toContain(`Cancelled #${first} and #${second}.`);
    for (const pr of [first, second])
      expect(await stage.look(pr)).toMatchObject({ state: "cancelled", reason: "CANCELLED_BY_USER" });
    expect(await testedSince(third)).toBeGreaterThan(before);
    await stage.until(fourth, "testing");
    const { entries } = await stage.client.listAuditLog({ actor: "admin" });
    expect(entries.toReversed()).toMatchObject(
      [first, second].map((prNumber) => ({
        action: "cancelPullRequest",
        outcome: "done",
        via: "dashboard",
        actor: { kind: "user", id: "admin" },
        repo: stage.queue.repo,
        prNumber,
        address: "127.0.0.1",
      })),
    );
  });

  test("that the queue refuses is refused before it is asked, and its refusal is recorded", async () => {
    const [first = 0, , , fourth = 0] = await openStack();
    const asked = await post({ action: "restart", pr: [first, fourth] });
    expect(asked).toContain(`Restart the tests of #${first}?`);
    expect(asked).toContain(`The tests of #${fourth} have not started`);
    const done = await post({ action: "restart", pr: [first, fourth], confirmed: "yes" });
    expect(done).toContain(`Restarted the tests of #${first}. The tests of #${fourth} have not started`);
    const { entries } = await stage.client.listAuditLog({ actor: "admin" });
    expect(entries.map(({ prNumber, code }) => [prNumber, code])).toEqual([
      [fourth, "NOT_TESTING"],
      [first, null],
    ]);
    expect(await post({ action: "cancel" })).toContain("select at least one pull request");
  });

  test("that pauses the queue needs a reason, which everybody reads, and leads back to no other site", async () => {
    expect(await post({ action: "pause" })).toContain("Running tests finish. Changes no running test.");
    expect(await post({ action: "pause", reason: " ", confirmed: "yes" })).toContain("Say why");
    expect((await stage.client.getQueue(stage.queue)).state).toBe("running");
    const page = await post({ action: "pause", reason: "<b>Release</b> at noon.", confirmed: "yes" });
    expect(page).toContain("The queue of main is paused now.");
    expect(page).toContain("Set by @admin: <b>Release</b> at noon");
    expect(await (await admin.open(stage.pageUrl)).text()).not.toContain("is paused now");
    const next = "https://evil.example/";
    const drain = { formToken: admin.formToken, action: "drain", confirmed: "yes", next };
    const elsewhere = await admin.post(actionsPath(stage), drain);
    expect(elsewhere.url).toBe(`${stage.url}/`);
  });

  browserTest(
    "is carried out by keyboard alone, and a selection outlasts an update of the page",
    async () => {
      const [, second = 0] = await openStack();
      const fifth = await stage.openPullRequest("fifth", undefined, { settle: false });
      stage.sandbox.signInAs("admin");
      const chromium = await launchBrowser();
      try {
        const page = await chromium.newPage();
        const problems: string[] = [];
        page.on("console", (message) => problems.push(message.text()));
        page.on("pageerror", ({ message }) => problems.push(message));
        const path = new URL(stage.pageUrl).pathname;
        await page.goto(`${stage.url}/auth/github?next=${encodeURIComponent(path)}`);
        const tabTo = async (name: string) => {
          for (let presses = 0; presses < 60; presses++) {
            await page.keyboard.press("Tab");
            const focused = await page.evaluate(
              "document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent",
            );
            if (focused === name) return;
          }
          throw new Error(`no way to ${name} with the Tab key`);
        };
        await tabTo(`Select #${second}`);
        await page.keyboard.press("Space");
        await submit(stage, fifth);
        await page.locator(`#pr-${fifth}`).waitFor();
        expect(await page.locator("input:checked").getAttribute("aria-label")).toBe(`Select #${second}`);
        await tabTo("Cancel");
        await page.keyboard.press("Enter");
        await page.getByRole("heading", { name: `Cancel #${second}?` }).waitFor();
        await tabTo(`Yes, cancel #${second}`);
        await page.keyboard.press("Enter");
        expect(await page.getByRole("status").innerText()).toBe(`Cancelled #${second}.`);
        await eventually(
          async () =>
            (await page.locator(`tr:has-text("#${second}")`).innerText()).includes("cancelled by @admin") ||
            null,
          "the entry to have ended",
        );
        expect(problems).toEqual([]);
      } finally {
        await chromium.close();
      }
    },
  );
});
