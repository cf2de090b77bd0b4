import { createHmac } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { eventually } from "../scenarios/eventually.ts";
import { GitHubProxy } from "../scenarios/github-proxy.ts";
import { Stage } from "../scenarios/stage.ts";
import { textOf } from "./page-text.ts";
import { Browser } from "./signed-in-browser.ts";

let stage: Stage;
let proxy: GitHubProxy;

beforeAll(async () => {
  stage = await Stage.open({
    queue: {},
    environment: { TRAINYARD_DASHBOARD: "token" },
    through: async (url) => {
      proxy = await GitHubProxy.start(url);
      return proxy.host;
    },
  });
});
afterAll(async () => {
  await stage.close();
  await proxy.close();
});

test("somebody who may read the repository signs in with GitHub, and is led to the page that they asked for", async () => {
  const browser = new Browser(stage);
  const page = await browser.signIn(stage.pageUrl, "alice");
  expect(page.url).toBe(stage.pageUrl);
  expect(page.status).toBe(200);
  const text = await page.text();
  expect(text).toContain("Nothing is waiting.");
  expect(text).toContain('title="Your sign-ins">alice</a>');
  expect(await (await browser.open(stage.url)).text()).toContain("acme/widgets");
  await browser.open(`${stage.url}/logout`, { method: "POST" });
  expect((await browser.open(stage.pageUrl)).status).toBe(401);
});

test("the rights of a login do not pass to the account that had it before", async () => {
  proxy.rewrite("GET", /\/user$/, (body) => JSON.stringify({ ...JSON.parse(body), id: 4711 }), { times: 1 });
  const before = new Browser(stage);
  expect((await before.signIn(stage.pageUrl, "bob")).status).toBe(404);
  expect((await new Browser(stage).signIn(stage.pageUrl, "bob")).status).toBe(200);
});

test("nobody signs in with an answer of GitHub that belongs to another browser, or that is used again", async () => {
  const victim = new Browser(stage);
  const login = await (await victim.open(stage.url)).text();
  expect(login).toContain("Sign in with GitHub");
  const forged = await victim.open(`${stage.url}/auth/github/callback?code=0123&state=abc`);
  expect(forged.status).toBe(401);
  expect(await forged.text()).toContain("began in another browser");
  const begun = new Browser(stage);
  await begun.open(`${stage.url}/auth/github`);
  const unknownState = await begun.open(`${stage.url}/auth/github/callback?code=0123&state=abc`);
  expect(unknownState.status).toBe(401);
  expect(await unknownState.text()).toContain("GitHub did not confirm who you are");
  expect((await begun.open(stage.pageUrl)).status).toBe(401);
});

test("while GitHub does not tell about one repository, the others are shown", async () => {
  await stage.sandbox.createRepository({ owner: "acme", name: "gadgets" });
  await stage.client.createQueue({ ...stage.queue, repo: { ...stage.queue.repo, name: "gadgets" } });
  proxy.rewrite("GET", /gadgets\/collaborators\/carol\/permission$/, () => "{}");
  const browser = new Browser(stage);
  const page = textOf(await (await browser.signIn(stage.url, "carol")).text());
  expect(page).toContain("acme/widgets");
  expect(page).not.toContain("gadgets");
  expect(page).toContain("ROLE_UNKNOWN");
  const found = await browser.open(`${stage.url}/search?q=anything`);
  expect([found.status, textOf(await found.text())]).toEqual([200, expect.stringContaining("ROLE_UNKNOWN")]);
});

test("somebody who withdraws the App's authorization on GitHub is signed out everywhere", async () => {
  const [bob, alice] = [new Browser(stage), new Browser(stage)];
  await bob.signIn(stage.pageUrl, "bob");
  await alice.signIn(stage.pageUrl, "alice");
  const { data } = await stage.octokit("bob").rest.users.getAuthenticated();
  const { status } = await deliver("github_app_authorization", {
    action: "revoked",
    sender: { id: data.id },
  });
  expect(status).toBeLessThan(300);
  await eventually(async () => ((await bob.open(stage.pageUrl)).status === 401 ? true : null), "the end");
  expect((await alice.open(stage.pageUrl)).status).toBe(200);
});

function deliver(event: string, payload: object): Promise<Response> {
  const body = JSON.stringify(payload);
  const digest = createHmac("sha256", stage.sandbox.app.webhookSecret).update(body).digest("hex");
  return fetch(`${stage.url}/api/github/webhooks`, {
    method: "POST",
    body,
    headers: {
      "content-type": "application/json",
      "x-github-event": event,
      "x-github-delivery": crypto.randomUUID(),
      "x-hub-signature-256": `sha256=${digest}`,
    },
  });
}
