import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { openStore } from "../../src/store/sqlite/open-store.ts";
import { eventually } from "../scenarios/eventually.ts";
import { Stage } from "../scenarios/stage.ts";
import { Receiver, verified } from "../service/webhooks/receiver.ts";
import { textOf } from "./page-text.ts";
import { Browser } from "./signed-in-browser.ts";

let stage: Stage;
let receiver: Receiver;
let id: string;
let oldSecret: string;
let admin: Browser;

beforeAll(async () => {
  stage = await Stage.open({
    queue: { state: "paused", requiredStatuses: ["build"] },
    requiredChecks: null,
    environment: {
      TRAINYARD_DASHBOARD: "token",
      TRAINYARD_ENCRYPTION_KEY: randomBytes(32).toString("base64"),
      TRAINYARD_WEBHOOK_ALLOW_PRIVATE: "true",
    },
  });
  receiver = await Receiver.start();
  const url = `${receiver.url}/T0/secret-of-the-chat-9876`;
  const events = ["pull_request.submitted"] as const;
  const created = await stage.client.createWebhook({ url, events: [...events], description: "<b>chat</b>" });
  id = created.id;
  oldSecret = created.secret ?? "";
  admin = await signIn(["admin"]);
});
afterAll(async () => {
  await receiver.close();
  await stage.close();
});
beforeEach(async () => {
  receiver.refuse(() => false);
  await stage.client.updateWebhook({ id, enabled: true });
});

async function signIn(scopes: Parameters<Stage["issueToken"]>[0]["scopes"], organisation = "acme") {
  const browser = new Browser(stage);
  await browser.signInWithToken(await stage.issueToken({ organisation, scopes }));
  return browser;
}

const listPath = "/webhooks/acme";
const pagePath = () => `${listPath}/${id}`;

async function look(browser: Browser, path: string) {
  const answer = await browser.open(stage.url + path);
  const markup = await answer.text();
  return { status: answer.status, markup, text: textOf(markup) };
}

/** Clicks a button, and the one of the confirmation. */
async function order(browser: Browser, action: string, isConfirmed = true) {
  const fields = { formToken: browser.formToken, action };
  const asked = await browser.post(`${pagePath()}/actions`, fields);
  const markup = await asked.text();
  if (!isConfirmed || asked.status !== 200)
    return { status: asked.status, text: textOf(markup), version: "" };
  const [, version = ""] = /name="version" value="(\d+)"/.exec(markup) ?? [];
  const done = await browser.post(`${pagePath()}/actions`, { ...fields, version, confirmed: "yes" });
  return { status: done.status, text: textOf(await done.text()), version };
}

let submitted = 0;

/** Submits a pull request. Returns it with the message about it. */
async function submitOne() {
  submitted += 1;
  const number = await stage.openPullRequest(`change-${submitted}`, undefined, { settle: false });
  await stage.client.submitPullRequest({ ...stage.queue, pr: { number } });
  const message = await eventually(
    async () => receiver.received.find(({ body }) => JSON.parse(body).pr_number === number) ?? null,
    "its message",
  );
  return { number, message };
}

describe("the pages of webhooks", () => {
  test("tell an administrator of a repository that they are for owners and tokens of the organisation", async () => {
    const person = new Browser(stage);
    await person.signIn(stage.pageUrl, "admin");
    const page = await look(person, listPath);
    expect(page.text).toContain(
      "This page is for the owners of an organisation on GitHub, and for its API tokens with the scope admin.",
    );
    expect(page.markup).toContain('name="token"');
    expect((await look(person, "/")).text).not.toContain("Webhooks of acme");
    const nobody = await look(new Browser(stage), listPath);
    expect(nobody.markup).toContain(`/auth/github?next=${encodeURIComponent(listPath)}`);
  });

  test("do nothing after the token was revoked", async () => {
    const token = await stage.issueToken({ organisation: "acme", scopes: ["admin"] });
    const withdrawn = new Browser(stage);
    await withdrawn.signInWithToken(token);
    expect((await order(withdrawn, "disable", false)).status).toBe(200);
    const store = await openStore(stage.databaseUrl);
    await store.tokens.revoke(token.split("_")[1] ?? "", Date.now());
    await store.close();
    expect((await order(withdrawn, "disable")).text).toContain("FORM_OF_ANOTHER_SITE");
    expect((await stage.client.listWebhooks({})).webhooks[0]?.enabled).toBe(true);
    expect((await look(admin, `${listPath}/wh_nosuch`)).status).toBe(404);
    expect((await look(await signIn(["admin"], "empty"), "/webhooks/Empty")).text).toContain(
      "There is no webhook yet.",
    );
  });

  test("show from the overview what was sent and why it was not accepted, and send it again", async () => {
    receiver.refuse(() => true, 503);
    const { number } = await submitOne();
    expect((await look(admin, "/")).markup).toContain(`<a href="${listPath}">Webhooks of acme</a>`);
    const list = await look(admin, listPath);
    expect(list.text).toMatch(
      /http:\/\/127\.0\.0\.1:\d+\/…9876 <b>chat<\/b> pull_request.submitted json enabled waiting/,
    );
    const page = await eventually(async () => {
      const seen = await look(admin, pagePath());
      return seen.text.includes("it answered 503") ? seen : null;
    }, "the failure to be shown");
    expect(page.text).toContain(`pull_request.submitted acme/widgets #${number}`);
    expect(list.markup + page.markup).not.toContain("secret-of-the-chat");
    receiver.refuse(() => false);
    const [, delivery = ""] = /name="delivery" value="([^"]+)"/.exec(page.markup) ?? [];
    const seen = receiver.ids.filter((one) => one === delivery).length;
    const fields = { formToken: admin.formToken, action: "resend" };
    const sent = await admin.post(`${pagePath()}/actions`, { ...fields, delivery });
    expect(await sent.text()).toContain(`The message ${delivery} is sent again.`);
    await eventually(
      async () => receiver.ids.filter((one) => one === delivery).length > seen || null,
      "the message to arrive again",
    );
    await eventually(
      async () => (await look(admin, pagePath())).text.includes("delivered it answered 204") || null,
      "the delivery to be shown",
    );
    const unknown = await admin.post(`${pagePath()}/actions`, { ...fields, delivery: "nosuch" });
    expect(await unknown.text()).toContain("WEBHOOK_DELIVERY_NOT_FOUND");
  });

  test("disable and enable a webhook after they have said what that means", async () => {
    expect((await order(admin, "disable", false)).text).toContain("Events of that time are not stored");
    expect((await stage.client.listWebhooks({})).webhooks[0]?.enabled).toBe(true);
    expect((await order(admin, "disable")).text).toContain("The webhook is disabled now.");
    expect((await stage.client.listWebhooks({})).webhooks[0]?.enabled).toBe(false);
    expect((await order(admin, "enable")).text).toContain("The webhook is enabled now.");
    const { entries } = await stage.client.listAuditLog({ actor: await actor(), take: 1 });
    expect(entries[0]).toMatchObject({
      ...{ action: "updateWebhook", via: "dashboard", outcome: "done", subject: { kind: "webhook", id } },
      changes: [{ field: "enabled", from: false, to: true }],
    });
  });

  test("rotate the secret and show the new one once and nowhere else, and both secrets sign for a day", async () => {
    const rotated = await order(admin, "rotate");
    const [secret = ""] = /whsec_[\w+/]+=*/.exec(rotated.text) ?? [];
    expect(secret).not.toBe(oldSecret);
    const { message } = await submitOne();
    for (const one of [secret, oldSecret]) expect(verified(one, message)).toHaveProperty("pr_number");

    // The page with the result is reloaded.
    const fields = { formToken: admin.formToken, action: "rotate", confirmed: "yes" };
    const again = await admin.post(`${pagePath()}/actions`, { ...fields, version: rotated.version });
    expect(await again.text()).toContain("Nothing was done: the secret was rotated since");
    const { text } = await look(admin, pagePath());
    expect(text).toMatch(/the previous secret also signs for (1 d|23 h)/);
    const log = JSON.stringify(await stage.client.listAuditLog({}));
    expect(log).toContain('{"field":"secret","from":"(hidden)","to":"(hidden)"}');
    for (const place of [text, log, admin.cookies]) expect(place).not.toContain("whsec_");

    // The second rotation within a day stops the first secret.
    expect((await order(admin, "rotate", false)).text).toContain("already rotated within the last day");
    const [newest = ""] = /whsec_[\w+/]+=*/.exec((await order(admin, "rotate")).text) ?? [];
    const { message: later } = await submitOne();
    for (const one of [newest, secret]) expect(verified(one, later)).toHaveProperty("pr_number");
    expect(() => verified(oldSecret, later)).toThrow("No matching signature found");
  });

  test("rotate a secret for an owner of the organisation, whom the audit log names", async () => {
    stage.sandbox.createUser({ login: "olga" });
    stage.sandbox.setMembership("acme", "olga", { role: "admin", state: "active" });
    const olga = new Browser(stage);
    await olga.signIn(stage.url + listPath, "olga");
    expect((await order(olga, "rotate")).text).toMatch(/whsec_/);
    const { entries } = await stage.client.listAuditLog({ actor: "olga" });
    expect(entries).toMatchObject([
      { action: "updateWebhook", via: "dashboard", outcome: "done", actor: { kind: "user", id: "olga" } },
    ]);

    // GitHub does not report this.
    stage.sandbox.setMembership("acme", "olga", { role: "member", state: "active" });
    expect((await order(olga, "disable", false)).status).toBe(403);
    expect((await look(olga, listPath)).status).toBe(403);
    expect((await stage.client.listWebhooks({})).webhooks[0]?.enabled).toBe(true);
  });
});

async function actor(): Promise<string> {
  const { entries } = await stage.client.listAuditLog({});
  return entries.find(({ via }) => via === "dashboard")?.actor.id ?? "";
}
