import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { createLog } from "../../src/cli/log.ts";
import { type RunningServer, startServer } from "../../src/cli/start-server.ts";
import { createClient } from "../../src/client/client.ts";
import { parseSettings } from "../../src/settings/settings.ts";
import { launchBrowser } from "../runner/browser.ts";
import { Stage } from "../scenarios/stage.ts";
import { beginSignIn, confirm } from "./command-line.ts";
import { EventStream } from "./event-stream.ts";
import { textOf } from "./page-text.ts";
import { Browser } from "./signed-in-browser.ts";
import { browserTest } from "./viewers.ts";

let stage: Stage;
let token: string;

beforeAll(async () => {
  stage = await Stage.open({ queue: {}, environment: { TRAINYARD_DASHBOARD: "token" } });
  token = await stage.issueToken({ organisation: "acme", scopes: ["read"] });
});
afterAll(() => stage.close());

function post(path: string, headers: Record<string, string> = {}, at = stage.url): Promise<Response> {
  const body = new URLSearchParams(path === "/login" ? { token } : {});
  return fetch(at + path, { method: "POST", headers, body, redirect: "manual" });
}

/** Signs in, and returns the headers that a browser then sends. */
async function signIn(at = stage.url): Promise<{ cookie: string }> {
  const [cookie = ""] = (await post("/login", {}, at)).headers.getSetCookie();
  return { cookie: cookie.split(";")[0] ?? "" };
}

const statusOf = async (headers: Record<string, string>, at = stage.url) =>
  (await fetch(at, { headers })).status;

/** Starts another process on the same database. */
async function startReplica(): Promise<RunningServer> {
  const parsed = parseSettings({
    ...stage.sandbox.env,
    HOST: "127.0.0.1",
    PORT: "0",
    DATABASE_URL: stage.databaseUrl,
    LOG_LEVEL: "silent",
    TRAINYARD_DASHBOARD: "token",
  });
  if ("issues" in parsed || !parsed.settings.app) throw new Error("the settings are no good");
  return startServer(parsed.settings, parsed.settings.app, createLog(parsed.settings));
}

describe("a dashboard session", () => {
  test("reveals nothing about its token, neither in the cookie nor in the database", async () => {
    const { cookie } = await signIn();
    const [, id = ""] = cookie.split("=");
    expect(id).toMatch(/^[\w-]{43}$/);
    // The token's secret may contain an underscore.
    const parts = token.split("_").filter((part) => part.length >= 5);
    expect(parts.length).toBeGreaterThan(1);
    for (const part of parts.slice(1)) expect(cookie).not.toContain(part);
    const database = new DatabaseSync(stage.databaseUrl.replace("sqlite:", ""), { readOnly: true });
    const kept = JSON.stringify(database.prepare("select * from dashboard_sessions").all());
    database.close();
    expect(kept).not.toContain(id);
    expect(await statusOf({ cookie: cookie.replace(id, token) })).toBe(401);
  });

  test("is valid in every process on the same database, also in one that starts later", async () => {
    const first = await startReplica();
    try {
      const session = await signIn(first.url);
      expect(await statusOf(session)).toBe(200);
      await first.close();
      const second = await startReplica();
      expect(await statusOf(session, second.url)).toBe(200);
      await second.close();
    } finally {
      await first.close();
    }
  });

  test("ends at sign-out, which invalidates its cookie and ends its open pages", async () => {
    const [session, other] = [await signIn(), await signIn()];
    const events = await EventStream.open(`${stage.pageUrl}/live`, session);
    try {
      expect(await events.next()).toContain("widgets");
      const answer = await post("/logout", session);
      expect(answer.status).toBe(303);
      expect(answer.headers.get("location")).toBe("/");
      expect(answer.headers.getSetCookie()[0]).toMatch(
        /^trainyard_session=; .*(Max-Age=0|Expires=Thu, 01 Jan 1970)/,
      );
      expect(await statusOf(session)).toBe(401);
      await stage.client.updateQueue({ ...stage.queue, state: "paused" });
      expect(await events.nextWith(/class="state paused"/)).toBeNull();
      expect(await statusOf(other)).toBe(200);
    } finally {
      events.close();
    }
  });

  test("ends when another sign-in happens in the same browser", async () => {
    const before = await signIn();
    expect((await post("/login", before)).status).toBe(303);
    expect(await statusOf(before)).toBe(401);
  });

  test("has a sign-out button on each of its pages, and only there", async () => {
    const session = await signIn();
    const form = '<form method="post" action="/logout"';
    for (const url of [stage.url, stage.pageUrl])
      expect(await (await fetch(url, { headers: session })).text()).toContain(form);
    expect(await (await fetch(stage.url)).text()).not.toContain(form);
  });
});

describe("the page of one's own sign-ins", () => {
  const list = async (browser: Browser) => (await browser.open(`${stage.url}/login/own`)).text();
  /** Presses a button of the page. */
  const end = async (browser: Browser, label: string) => {
    const button = new RegExp(`name="end" value="(\\w+)" aria-label="${label}`);
    const [, value = ""] = button.exec(await list(browser)) ?? [];
    const answer = await browser.post("/login/own", { formToken: browser.formToken, end: value });
    return textOf(await answer.text());
  };

  test("lists browsers and command lines of the account, and ends one or all others at once", async () => {
    const [browser, other, bob] = [new Browser(stage), new Browser(stage), new Browser(stage)];
    await browser.signIn(stage.pageUrl, "alice");
    await bob.signIn(stage.pageUrl, "bob");
    const begun = await beginSignIn(stage, "<b>laptop");
    await other.signIn(begun.url, "alice");
    await confirm(other, begun.url);
    const clientOf = () => createClient({ baseUrl: stage.url, token: begun.secret });
    await clientOf().getQueue(stage.queue);

    const page = textOf(await list(browser));
    expect(page).toMatch(/Your sign-ins of alice 3 .*<b>laptop command line/);
    expect(page.match(/this one/g)).toHaveLength(1);
    expect(textOf(await list(bob))).toMatch(/Your sign-ins of bob 1 /);
    const [, id = ""] = /value="(\w+)" aria-label="End &#60;b&#62;laptop/.exec(await list(browser)) ?? [];
    await bob.post("/login/own", { formToken: bob.formToken, end: id });
    await clientOf().getQueue(stage.queue);

    expect((await browser.post("/login/own", { end: "others" })).status).toBe(403);
    expect(await end(browser, "End &#60;b&#62;laptop")).toContain("Ended 1 sign-in. ");
    await expect(clientOf().getQueue(stage.queue)).rejects.toMatchObject({ status: 401 });
    expect(await end(browser, "End all other sign-ins")).toContain("Your sign-ins of alice 1 ");
    expect((await other.open(stage.pageUrl)).status).toBe(401);
    expect((await browser.open(stage.pageUrl)).status).toBe(200);
    expect((await bob.open(stage.pageUrl)).status).toBe(200);
  });

  test("lists the browsers that signed in with the same token, and nothing of others", async () => {
    const [browser, other, stranger] = [new Browser(stage), new Browser(stage), new Browser(stage)];
    const own = await stage.issueToken({ organisation: "acme", name: "shared", scopes: ["read"] });
    for (const one of [browser, other]) await one.signInWithToken(own);
    await stranger.signInWithToken(token);
    expect(textOf(await list(browser))).toMatch(/Your sign-ins with the token shared 2 /);
    await end(browser, "End all other sign-ins");
    expect((await other.open(stage.pageUrl)).status).toBe(401);
    expect((await stranger.open(stage.pageUrl)).status).toBe(200);
    expect((await new Browser(stage).open(`${stage.url}/login/own`)).status).toBe(401);
  });

  test("lists no more than a hundred browsers of a token, and ends also those that it does not list", async () => {
    const browser = new Browser(stage);
    const own = await stage.issueToken({ organisation: "acme", name: "looping", scopes: ["read"] });
    await browser.signInWithToken(own);
    const database = new DatabaseSync(stage.databaseUrl.replace("sqlite:", ""));
    database.exec(`
      with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 2000)
      insert into dashboard_sessions (id_sha256, token_id, user_agent, created_at, seen_at, expires_at)
      select 'copy-' || n, token_id, 'curl', created_at - n, seen_at - n, expires_at
      from numbers, dashboard_sessions where token_id = '${own.split("_")[1]}'`);
    database.close();
    const page = await list(browser);
    expect(page.match(/name="end" value="copy-/g)).toHaveLength(99);
    expect(textOf(page)).toMatch(
      /with the token looping 2001 .* Only the 100 that were used last are listed\./,
    );
    expect(await end(browser, "End all other sign-ins")).toMatch(/Ended 2000 sign-ins\. .* looping 1 /);
  });
});

describe("a form from another site", () => {
  test.each<[what: string, headers: Record<string, string>]>([
    ["with a cross-site header", { "sec-fetch-site": "cross-site", origin: "https://evil.example" }],
    ["from a sibling domain", { "sec-fetch-site": "same-site", origin: "https://other.queue.example" }],
    ["in an old browser", { origin: "https://evil.example" }],
    ["with an opaque origin", { origin: "null" }],
    ["from another port", { origin: "http://127.0.0.1:1" }],
  ])("can neither sign in nor sign out: %s", async (_what, headers) => {
    const answer = await post("/login", headers);
    expect(answer.status).toBe(403);
    expect(answer.headers.getSetCookie()).toEqual([]);
    expect(await answer.text()).toContain("FORM_OF_ANOTHER_SITE");
    const session = await signIn();
    expect((await post("/logout", { ...headers, ...session })).status).toBe(403);
    expect(await statusOf(session)).toBe(200);
  });

  test.each<[what: string, headers: () => Record<string, string>]>([
    ["has a same-origin header", () => ({ "sec-fetch-site": "same-origin", origin: "null" })],
    ["has the site's origin", () => ({ origin: stage.url })],
  ])("is distinguished from a form of this site, which %s", async (_what, headers) => {
    expect((await post("/login", headers())).status).toBe(303);
  });

  browserTest("has no effect in a browser, while forms of this site can sign in and out", async () => {
    const browser = await launchBrowser();
    const foreign = createServer((_request, response) => {
      response.setHeader("content-type", "text/html");
      response.end(
        `<form method="post" action="${stage.url}/login"><input name="token" value="${token}"></form><script>document.forms[0].submit()</script>`,
      );
    });
    try {
      await once(foreign.listen(0, "127.0.0.1"), "listening");
      const { port } = foreign.address() as AddressInfo;
      const context = await browser.newContext();
      const page = await context.newPage();
      await page.goto(`http://localhost:${port}/`);
      await page.waitForURL(`${stage.url}/login`);
      expect(await context.cookies()).toEqual([]);
      await page.goto(stage.url);
      await page.getByText("Sign in with an API token instead").click();
      await page.locator("input[name=token]").fill(token);
      await page.getByRole("button", { name: "Sign in with a token" }).click();
      await page.getByText("acme/widgets").first().waitFor();
      await page.getByRole("button", { name: "Sign out" }).click();
      await page.getByRole("link", { name: "Sign in with GitHub" }).waitFor();
      expect(await context.cookies()).toEqual([]);
    } finally {
      await browser.close();
      foreign.close();
    }
  });
});

test("pages and forms of the dashboard are never cached", async () => {
  const headers = await signIn();
  const { repo } = stage.queue;
  const tests = `${stage.url}/tests/${repo.host}/acme/widgets`;
  const answers = [
    await fetch(stage.url),
    await fetch(stage.url, { headers }),
    await fetch(stage.pageUrl, { headers }),
    await fetch(tests, { headers }),
    await fetch(`${stage.pageUrl}-nosuch`, { headers }),
    await fetch(`${stage.pageUrl}-nosuch/live`, { headers }),
    await post("/login"),
    await post("/login", { origin: "null" }),
    await post("/logout", headers),
  ];
  expect(answers.map((answer) => answer.headers.get("cache-control"))).toEqual(answers.map(() => "no-store"));
});
