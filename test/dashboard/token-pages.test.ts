import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { Stage } from "../scenarios/stage.ts";
import { textOf } from "./page-text.ts";
import { Browser } from "./signed-in-browser.ts";

let stage: Stage;
let admin: Browser;
const page = "/tokens/acme";

beforeAll(async () => {
  stage = await Stage.open({ queue: {}, environment: { TRAINYARD_DASHBOARD: "token" } });
  admin = await signIn(["admin"]);
});
afterAll(() => stage.close());

async function signIn(scopes: Parameters<Stage["issueToken"]>[0]["scopes"], organisation = "acme") {
  const browser = new Browser(stage);
  await browser.signInWithToken(await stage.issueToken({ organisation, scopes }));
  return browser;
}

async function look(browser: Browser, path = page) {
  const answer = await browser.open(stage.url + path);
  const markup = await answer.text();
  return { status: answer.status, markup, text: textOf(markup) };
}

type Fields = Readonly<Record<string, string>>;

async function send(browser: Browser, fields: Fields) {
  const answer = await browser.post(page, { formToken: browser.formToken, ...fields });
  const markup = await answer.text();
  return { status: answer.status, markup, text: textOf(markup) };
}

const newestIn = (markup: string) => /name="newest" value="(\w+)"/.exec(markup)?.[1] ?? "";
const tokenIn = (markup: string) => /ty_[\da-z]{12}_[\w-]{43}/.exec(markup)?.[0] ?? "no token";
const isValid = async (token: string) =>
  (
    await fetch(`${stage.url}/v1/getQueue`, {
      method: "POST",
      headers: { "x-api-token": token, "content-type": "application/json" },
      body: JSON.stringify(stage.queue),
    })
  ).status === 200;

describe("the page of API tokens", () => {
  test("creates a token, shows it once, says who created it, and revokes it after it said what that means", async () => {
    const overview = await look(admin, "/");
    expect(overview.markup).toContain(`<a href="${page}">API tokens of acme</a>`);
    const form = {
      action: "create",
      newest: newestIn((await look(admin)).markup),
      name: "nightly",
      scope: "read",
      days: "30",
    };
    const created = await send(admin, form);
    const token = tokenIn(created.markup);
    expect(await isValid(token)).toBe(true);
    expect((await send(admin, form)).text).toContain("Nothing was done: a token was created since");
    const id = token.split("_")[1] ?? "";
    const list = await look(admin);
    expect(list.text).toMatch(
      new RegExp(`nightly ${id} read \\d+ s ago by tests \\d+ s ago in (30|29) d Revoke`),
    );
    expect(list.markup).not.toContain(token);

    const revoke = { action: "revoke", id };
    expect((await send(admin, revoke)).text).toContain("Whatever uses it is refused from now on.");
    expect(await isValid(token)).toBe(true);
    expect((await send(admin, { ...revoke, confirmed: "yes" })).text).toContain(
      "The token nightly is revoked.",
    );
    expect(await isValid(token)).toBe(false);
    const { entries } = await stage.client.listAuditLog({});
    const ofPages = entries.filter(({ via }) => via === "dashboard");
    expect(ofPages.map(({ action, tokenId, outcome }) => [action, tokenId, outcome])).toEqual([
      ["revokeToken", id, "done"],
      ["createToken", id, "done"],
    ]);
    expect(JSON.stringify(entries)).not.toContain(token);
  });

  test("explains why an incomplete form is refused, and grants no scope that names others as the actor", async () => {
    const { markup, text } = await look(admin);
    expect(text).not.toContain(" bot ");
    const form = { action: "create", newest: newestIn(markup), name: "", scope: "read", days: "" };
    const refusals: [Fields, string][] = [
      [{}, "Give the token a name"],
      [{ name: "x", scope: "bot" }, "Choose at least one of the scopes."],
      [{ name: "x", days: "0" }, "A token ends after 1 to 36500 days, or never."],
    ];
    for (const [change, words] of refusals) {
      const refused = await send(admin, { ...form, ...change });
      expect([refused.status, refused.text]).toEqual([422, expect.stringContaining(words)]);
      expect(refused.markup).not.toContain("ty_");
    }
  });

  test("lets an owner of the organisation create and revoke tokens of it, and of no other", async () => {
    stage.sandbox.createUser({ login: "olga" });
    stage.sandbox.setMembership("acme", "olga", { role: "admin", state: "active" });
    const olga = new Browser(stage);
    await olga.signIn(stage.url + page, "olga");
    expect((await look(olga, "/")).markup).toContain(`<a href="${page}">API tokens of acme</a>`);
    const newest = newestIn((await look(olga)).markup);
    const created = await send(olga, { action: "create", newest, name: "deploy", scope: "admin", days: "" });
    const token = tokenIn(created.markup);
    expect(await isValid(token)).toBe(true);
    const id = token.split("_")[1] ?? "";
    const others = await olga.post("/tokens/globex", { formToken: olga.formToken, action: "create" });
    expect(others.status).toBe(403);

    // What an owner has created stays when the owner leaves, and says who that was.
    stage.sandbox.setMembership("acme", "olga", null);
    expect((await send(olga, { action: "revoke", id, confirmed: "yes" })).status).toBe(403);
    expect(await isValid(token)).toBe(true);
    expect((await look(admin)).text).toMatch(new RegExp(`deploy ${id} admin \\d+ s ago by olga`));
    await send(admin, { action: "revoke", id, confirmed: "yes" });
    expect(await isValid(token)).toBe(false);
  });

  test("is for those who may administer the organisation; to others, every organisation looks the same", async () => {
    const person = new Browser(stage);
    await person.signIn(stage.pageUrl, "admin");
    const others = [
      new Browser(stage),
      await signIn(["read", "queue:admin"]),
      await signIn(["admin"], "other"),
      person,
    ];
    for (const browser of others) {
      const missing = await look(browser, "/tokens/nosuch");
      expect([401, 403]).toContain(missing.status);
      expect((await look(browser)).text).toBe(missing.text);
      expect((await send(browser, { action: "create", name: "x", scope: "admin", newest: "" })).status).toBe(
        403,
      );
    }
    const foreign = await send(admin, { formToken: "another", action: "create", name: "x", scope: "admin" });
    expect(foreign.text).toContain("FORM_OF_ANOTHER_SITE");
    expect((await look(admin)).text).not.toContain(" x ");
  });
});
