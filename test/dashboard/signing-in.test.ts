import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { Tokens } from "../../src/service/access/tokens.ts";
import { openStore } from "../../src/store/sqlite/open-store.ts";
import { Stage } from "../scenarios/stage.ts";
import { EventStream } from "./event-stream.ts";

let stage: Stage;

beforeAll(async () => {
  stage = await Stage.open({ queue: {}, environment: { TRAINYARD_DASHBOARD: "token" } });
});

afterAll(() => stage.close());

describe("a dashboard that requires a token", () => {
  test.each(["the home page", "the page of a queue", "the page of a queue that does not exist"])(
    "shows only the sign-in form instead of %s",
    async (which) => {
      const pages: Record<string, string> = {
        "the home page": stage.url,
        "the page of a queue": stage.pageUrl,
      };
      const answer = await fetch(pages[which] ?? `${stage.pageUrl}-nosuch`);
      expect(answer.status).toBe(401);
      const page = await answer.text();
      expect(page).toMatch(/<form method="post" action="\/login"><input name="token" type="password"/);
      expect(page).toContain("token create --organisation OWNER --scopes read");
      // The form repeats only the path that the visitor asked for.
      expect(page.replaceAll(/(next" type="hidden" value=|next=)[^>]*>/g, "")).not.toContain("widgets");
    },
  );

  test("streams nothing to a visitor who is not signed in", async () => {
    const answer = await fetch(`${stage.pageUrl}/live`);
    expect(answer.status).toBe(404);
    expect(await answer.text()).not.toContain("widgets");
  });

  test.each([
    ["nothing", ""],
    ["nonsense", "letmein"],
    ["a token that was never issued", `ty_${"0".repeat(12)}_${"A".repeat(43)}`],
  ])("rejects %s, and sets no cookie", async (_what, token) => {
    const answer = await signIn(token);
    expect(answer.status).toBe(401);
    expect(answer.headers.getSetCookie()).toEqual([]);
    expect(await answer.text()).toContain(
      "That token is unknown, expired or revoked, or lacks the scope read.",
    );
  });

  test("rejects a token without the scope read", async () => {
    const answer = await signIn(await stage.issueToken({ organisation: "acme", scopes: ["submit"] }));
    expect(answer.status).toBe(401);
    expect(answer.headers.getSetCookie()).toEqual([]);
  });

  test("starts a session with a cookie that scripts cannot read, and then shows the queue", async () => {
    const token = await stage.issueToken({ organisation: "acme", scopes: ["read"] });
    const answer = await signIn(` ${token}\n`);
    expect(answer.status).toBe(303);
    expect(answer.headers.get("location")).toBe("/");
    const [cookie = ""] = answer.headers.getSetCookie();
    const attributes = cookie.split("; ").slice(1);
    expect(attributes).toEqual(expect.arrayContaining(["HttpOnly", "SameSite=Lax", "Path=/"]));
    const headers = { cookie: cookie.split(";")[0] ?? "" };
    expect(await (await fetch(stage.url, { headers })).text()).toContain("acme/widgets");
    const page = await fetch(stage.pageUrl, { headers });
    expect(page.status).toBe(200);
    expect(await page.text()).toContain("Nothing is waiting.");
  });

  test("shows the page that was asked for after signing in", async () => {
    const page = new URL(stage.pageUrl).pathname;
    const form = await (await fetch(stage.pageUrl)).text();
    expect(form).toContain(`<input name="next" type="hidden" value="${page}">`);
    const failed = await signIn("letmein", stage, page);
    expect(await failed.text()).toContain(`value="${page}"`);
    const answer = await signIn(stage.token, stage, page);
    expect(answer.headers.get("location")).toBe(page);
  });

  test.each(["https://evil.example/", "//evil.example", "/\\evil.example", "javascript:alert(1)", ""])(
    "never leads to another site after signing in: %j",
    async (next) => {
      const answer = await signIn(stage.token, stage, next);
      expect(answer.headers.get("location")).toBe("/");
    },
  );

  test("does not reveal a queue to a token of another organisation", async () => {
    const { cookie } = await signedIn("globex");
    const headers = { cookie };
    expect(await (await fetch(stage.url, { headers })).text()).toContain("There is no queue yet");
    for (const url of [stage.pageUrl, `${stage.pageUrl}/live`]) {
      const answer = await fetch(url, { headers });
      expect(answer.status).toBe(404);
      expect(await answer.text()).not.toContain("widgets");
    }
  });

  test("shows nothing more once the token is revoked, not even on an open page", async () => {
    const { tokenId, ...headers } = await signedIn("acme");
    const events = await EventStream.open(`${stage.pageUrl}/live`, headers);
    try {
      expect(await events.next()).toContain("widgets");
      await revoke(tokenId);
      await stage.client.updateQueue({ ...stage.queue, state: "paused" });
      expect(await events.nextWith(/class="state paused"/)).toBeNull();
      expect((await fetch(stage.pageUrl, { headers })).status).toBe(401);
    } finally {
      events.close();
    }
  });
});

test("with an https address, the session cookie is sent only to that host over https", async () => {
  const secure = await Stage.open({
    environment: { TRAINYARD_DASHBOARD: "token", TRAINYARD_PUBLIC_URL: "https://queue.example" },
  });
  try {
    const [cookie] = (await signIn(secure.token, secure)).headers.getSetCookie();
    expect(cookie?.split("; ")).toEqual(expect.arrayContaining(["Secure", "Path=/"]));
    // Browsers accept a cookie with this prefix only from the host itself over https.
    expect(cookie).toMatch(/^__Host-/);
  } finally {
    await secure.close();
  }
});

function signIn(token: string, at = stage, next?: string): Promise<Response> {
  const body = new URLSearchParams({ token, ...(next === undefined ? {} : { next }) });
  return fetch(`${at.url}/login`, { method: "POST", body, redirect: "manual" });
}

async function signedIn(organisation: string): Promise<{ cookie: string; tokenId: string }> {
  const token = await stage.issueToken({ organisation, scopes: ["read"] });
  const answer = await signIn(token);
  const cookie = answer.headers.getSetCookie()[0]?.split(";")[0] ?? "";
  return { cookie, tokenId: token.split("_")[1] ?? "" };
}

async function revoke(id: string): Promise<void> {
  const store = await openStore(stage.databaseUrl);
  expect(await new Tokens(store.tokens, { now: () => Date.now() }).revoke(id)).toMatchObject({ id });
  await store.close();
}
