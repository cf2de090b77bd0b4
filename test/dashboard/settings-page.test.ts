import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { Stage } from "../scenarios/stage.ts";
import { textOf } from "./page-text.ts";
import { Browser } from "./signed-in-browser.ts";

let stage: Stage;
let admin: Browser;
let path: string;

beforeAll(async () => {
  stage = await Stage.open({
    queue: { requiredStatuses: ["build"], concurrency: 2 },
    environment: { TRAINYARD_DASHBOARD: "token" },
  });
  path = `${new URL(stage.pageUrl).pathname}/settings`;
  admin = await signIn("admin");
});
afterAll(() => stage.close());

async function signIn(login: string) {
  const browser = new Browser(stage);
  await browser.signIn(stage.pageUrl, login);
  return browser;
}

async function look(browser: Browser, page = path) {
  const answer = await browser.open(stage.url + page);
  const markup = await answer.text();
  return { status: answer.status, markup, text: textOf(markup) };
}

/** Sends the form of the page, in which some values were changed. */
async function send(browser: Browser, changes: Record<string, string>, page = path) {
  const { markup } = await look(browser, page);
  const [, version = ""] = /name="version" value="([^"]*)"/.exec(markup) ?? [];
  const answer = await browser.post(page, { formToken: browser.formToken, version, ...changes });
  const answered = await answer.text();
  return { status: answer.status, markup: answered, text: textOf(answered), version };
}

const rowOf = (markup: string, name: string) =>
  textOf(new RegExp(`<tr id="setting-${name}">([\\s\\S]*?)</tr>`).exec(markup)?.[1] ?? "no row");

describe("the settings of a queue", () => {
  test("are changed with a reason after the page said what that does, and the page then says who did it", async () => {
    const changes = { concurrency: "4", acceptFromHead: "DCO\r\ntitle lint", batchSizing: "by_load" };
    const asked = await send(admin, changes);
    expect(asked.text).toContain("Change 2 settings of main?");
    expect(asked.text).toContain("concurrency : 2 → 4 acceptFromHead : none → DCO title lint");
    expect(asked.text).toContain("Changes no running test.");
    expect(await stage.client.getQueue(stage.queue)).toMatchObject({ concurrency: 2 });
    const done = await send(admin, { ...changes, reason: "the release", confirmed: "yes" });
    expect(done.text).toContain("Changed concurrency, acceptFromHead.");
    expect(rowOf(done.markup, "concurrency")).toMatch(/5 admin \d+ s ago the release$/);
    // Nobody chose this one when the queue was created.
    expect(rowOf(done.markup, "flakyRetries")).toMatch(/ 1$/);
    expect(await stage.client.getQueue(stage.queue)).toMatchObject({
      concurrency: 4,
      acceptFromHead: ["DCO", "title lint"],
    });
    const { entries } = await stage.client.listAuditLog({ action: "updateQueue" });
    expect(entries[0]).toMatchObject({ actor: { id: "admin" }, via: "dashboard", reason: "the release" });
  });

  test("that are invalid are refused next to the field, in the words of the API, and what was entered is kept", async () => {
    const { status, markup, text } = await send(admin, { concurrency: "0", flakyRetries: "many" });
    expect(status).toBe(422);
    expect(text).toContain("Nothing was changed: correct concurrency, flakyRetries.");
    expect(rowOf(markup, "concurrency")).toContain("must be at least 1");
    expect(rowOf(markup, "flakyRetries")).toContain("must be a number, not a string");
    expect(markup).toMatch(/name="concurrency"[^>]*value="0"/);
  });

  test("are not changed back by a page that was opened before somebody else changed them", async () => {
    const { version } = await send(admin, {});
    await stage.client.updateQueue({ ...stage.queue, testingTimeoutMinutes: 77 });
    const fields = { formToken: admin.formToken, version, testingTimeoutMinutes: "300", confirmed: "yes" };
    const answer = await admin.post(path, fields);
    expect([answer.status, textOf(await answer.text())]).toEqual([
      409,
      expect.stringContaining("somebody else has changed the settings"),
    ]);
    expect(await stage.client.getQueue(stage.queue)).toMatchObject({ testingTimeoutMinutes: 77 });
  });

  test("are read by members, changed by administrators, and do not exist for strangers", async () => {
    const reader = await signIn("carol");
    expect((await look(reader)).text).toContain("Administrators of the repository can change them here.");
    const refused = await send(reader, { concurrency: "9", confirmed: "yes" });
    expect(refused.status).toBe(403);
    stage.sandbox.createUser({ login: "mallory" });
    const stranger = await signIn("mallory");
    const missing = await look(stranger, path.replace("main", "nosuch"));
    expect([missing.status, (await look(stranger)).text]).toEqual([404, missing.text]);
    expect(missing.text).toContain("mallory Sign out Not found There is no such queue,");
    const nowhere = await stranger.open(`${stage.url}/nowhere`, { headers: { accept: "text/html" } });
    expect([nowhere.status, textOf(await nowhere.text())]).toEqual([
      404,
      expect.stringContaining("mallory Sign out Not found There is no such page,"),
    ]);
    expect((await send(stranger, { concurrency: "9" })).status).toBe(404);
    const foreign = await admin.post(path, { formToken: "another", concurrency: "9", confirmed: "yes" });
    expect(foreign.status).toBe(403);
    expect(await stage.client.getQueue(stage.queue)).toMatchObject({ concurrency: 4 });
  });
});

test("the settings of a repository's tests are changed by the same means", async () => {
  const { host } = stage.queue.repo;
  const page = `/tests/${encodeURIComponent(host)}/acme/widgets/settings`;
  const changes = { flaky_episodes: "2", quarantine_max_share: "0.5", issue_labels: "flaky" };
  expect((await send(admin, changes, page)).text).toContain("flaky_episodes : 1 → 2");
  const done = await send(admin, { ...changes, confirmed: "yes" }, page);
  expect(rowOf(done.markup, "flaky_episodes")).toMatch(/1 admin \d+ s ago$/);
  expect(await stage.client.getTestSettings({ repo: stage.queue.repo })).toMatchObject({
    flaky_episodes: 2,
    quarantine_max_share: 0.5,
    issue_labels: ["flaky"],
  });
  const wrong = await send(admin, { quarantine_days: "9999" }, page);
  expect(rowOf(wrong.markup, "quarantine_days")).toContain("must be at most 365");
});
