import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
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

  test("submits a pull request again that has left the queue, but no head that was pushed since", async () => {
    const number = await stage.openPullRequest("again");
    await submit(stage, number);
    await stage.until(number, "testing");
    await post({ action: "cancel", pr: [number], confirmed: "yes" });
    const path = `${stage.pageUrl}/pulls/${number}`;
    expect(await (await admin.open(path)).text()).toContain(">Submit again</button>");
    expect(await post({ action: "submit", pr: [number] })).toContain(`Submit #${number} again?`);
    expect((await stage.look(number))?.state).toBe("cancelled");
    const done = await post({ action: "submit", pr: [number], confirmed: "yes" });
    expect(done).toContain(`Submitted #${number} again.`);
    await stage.until(number, "testing");
    expect(await (await admin.open(path)).text()).not.toContain(">Submit again</button>");
    await post({ action: "cancel", pr: [number], confirmed: "yes" });
    await stage.push("again", { "notes.txt": "Something else.\n" });
    const refused = await post({ action: "submit", pr: [number], confirmed: "yes" });
    expect(refused).toContain("(HEAD_MISMATCH)");
    expect((await stage.look(number))?.state).toBe("cancelled");
    await submit(stage, number);
    await stage.until(number, "testing");
    await stage.push("again", { "notes.txt": "Another thing.\n" });
    await stage.until(number, "cancelled");
    expect(await (await admin.open(path)).text()).not.toContain(">Submit again</button>");
  });

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

  test("that the queue refuses is refused before the confirmation is shown, and its refusal is recorded", async () => {
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
