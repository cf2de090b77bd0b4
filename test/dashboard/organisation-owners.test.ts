import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { createClient } from "../../src/client/client.ts";
import { manifestWith } from "../app-manifest.ts";
import { eventually } from "../scenarios/eventually.ts";
import { Stage } from "../scenarios/stage.ts";
import { textOf } from "./page-text.ts";
import { Browser } from "./signed-in-browser.ts";

let stage: Stage;
const owner = { role: "admin", state: "active" } as const;
const places = ["/webhooks/acme", "/tokens/acme", "/webhooks/olga", "/tokens/olga"];

/** A dashboard that shows everything to anyone, with queues of an organisation and of a personal account. */
beforeAll(async () => {
  stage = await Stage.open({ queue: {}, environment: { TRAINYARD_DASHBOARD: "public" } });
  const { sandbox, queue, url: baseUrl } = stage;
  for (const login of ["olga", "otto"]) sandbox.createUser({ login });
  await sandbox.createRepository({ owner: "olga", name: "widgets", ci: null });
  const token = await stage.issueToken({ organisation: "olga", scopes: ["queue:admin"] });
  const repo = { ...queue.repo, owner: "olga" };
  await createClient({ baseUrl, token }).createQueue({ ...queue, repo, requiredStatuses: ["build"] });
  sandbox.setMembership("acme", "otto", owner);
});
afterAll(() => stage.close());

async function signIn(login: string): Promise<Browser> {
  const browser = new Browser(stage);
  await browser.signIn(`${stage.url}/login`, login);
  return browser;
}

/** Which pages of organisations somebody may open, and which the overview links to. */
async function pagesOf(browser: Browser) {
  const answers = await Promise.all(places.map((path) => browser.open(stage.url + path)));
  const overview = await (await browser.open(stage.url)).text();
  return {
    open: places.filter((_, index) => answers[index]?.status === 200),
    linked: places.filter((path) => overview.includes(`href="${path}"`)),
  };
}

const [ofAcme, ofOlga] = [places.slice(0, 2), places.slice(2)];

test("the owners of organisations and personal accounts see their own pages, also where anyone sees all queues", async () => {
  expect(await pagesOf(new Browser(stage))).toEqual({ open: [], linked: [] });
  // Administers the repositories of both.
  expect(await pagesOf(await signIn("admin"))).toEqual({ open: [], linked: [] });
  expect(await pagesOf(await signIn("olga"))).toEqual({ open: ofOlga, linked: ofOlga });
  const otto = await signIn("otto");
  expect(await pagesOf(otto)).toEqual({ open: ofAcme, linked: ofAcme });
  const shown = await otto.open(`${stage.url}/tokens/ACME`);
  expect(textOf(await shown.text())).toContain("API tokens of acme");
});

test("an owner is served once the organisation has accepted that the App reads its members", async () => {
  const { sandbox } = stage;
  sandbox.updateApp(manifestWith("members", null));
  for (const login of ["oona", "odette"]) {
    sandbox.createUser({ login });
    sandbox.setMembership("acme", login, owner);
  }
  expect(await pagesOf(await signIn("oona"))).toEqual({ open: [], linked: [] });
  sandbox.updateApp("app.yml");
  expect(await pagesOf(await signIn("odette"))).toEqual({ open: ofAcme, linked: ofAcme });
});

const doubts = [
  ["502", 503],
  ["shape", 503],
  ["reset", 503],
  ["forbidden", 403],
  ["not_found", 403],
] as const;

test.each(doubts)("nothing changes while GitHub's answer about an owner is %s", async (kind, status) => {
  const { sandbox } = stage;
  const login = `owner-${kind.replace("_", "-")}`;
  sandbox.createUser({ login });
  sandbox.setMembership("acme", login, owner);
  const browser = await signIn(login);
  const page = await (await browser.open(`${stage.url}/tokens/acme`)).text();
  const [, newest = ""] = /name="newest" value="(\w+)"/.exec(page) ?? [];
  const fields = { formToken: browser.formToken, action: "create", name: kind, scope: "read", newest };
  // A reading that fails is repeated once.
  const end = sandbox.faults.next({ operation: "orgs/get-membership-for-user", kind, count: 2 });
  const answer = await browser.post("/tokens/acme", fields);
  expect(answer.status).toBe(status);
  expect(await answer.text()).not.toMatch(/ty_\w{12}_/);
  end();
  const { entries } = await stage.client.listAuditLog({ actor: login });
  expect(entries).toEqual([]);
});

test("the owners of another account that takes the name of an organisation get none of its pages", async () => {
  const database = new DatabaseSync(stage.databaseUrl.replace("sqlite:", ""));
  const accounts = () => database.prepare("select name from cursors where name like 'account/%'").all();
  await eventually(async () => (accounts().length === 2 ? true : null), "both accounts to be remembered");
  database.exec("update cursors set value = '4711' where name = 'account/acme'");
  database.close();
  stage.sandbox.createUser({ login: "orla" });
  stage.sandbox.setMembership("acme", "orla", owner);
  expect(await pagesOf(await signIn("orla"))).toEqual({ open: [], linked: [] });
});
