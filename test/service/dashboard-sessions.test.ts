import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { DashboardSessions, sessionMs } from "../../src/service/access/dashboard-sessions.ts";
import { Tokens } from "../../src/service/access/tokens.ts";
import type { TokenScope } from "../../src/store/access/token-store.ts";
import { openStore, type Store } from "../../src/store/sqlite/open-store.ts";

const dayMs = 24 * 60 * 60_000;

let store: Store;
let now: number;
let tokens: Tokens;
let sessions: DashboardSessions;

beforeEach(async () => {
  store = await openStore(":memory:");
  now = 1_000_000;
  const clock = { now: () => now };
  tokens = new Tokens(store.tokens, clock);
  sessions = new DashboardSessions(store.sessions, tokens, clock);
});
afterEach(() => store.close());

async function begin(scopes: readonly TokenScope[], expiresAt: number | null = null) {
  const { token } = await tokens.create({ organisation: "acme", name: "me", scopes, expiresAt });
  return sessions.beginWithToken(token, "");
}

test("a dashboard session ends after a week", async () => {
  const id = (await begin(["read"])) ?? "";
  const end = now + sessionMs;
  while (now + dayMs < end) {
    now += dayMs - 1;
    expect(await sessions.visitorOf(id)).toMatchObject({ principal: { organisation: "acme" } });
  }
  now = end;
  expect(await sessions.visitorOf(id)).toBeNull();
});

test("a dashboard session ends when nobody uses it for a day", async () => {
  const id = await sessions.beginAs({ id: 7, login: "alice" }, "");
  now += dayMs - 1;
  expect(await sessions.visitorOf(id)).toEqual({ kind: "person", id: 7, login: "alice" });
  now += dayMs;
  expect(await sessions.visitorOf(id)).toBeNull();
});

test("a browser that nobody used for a day is not among the sign-ins of its owner", async () => {
  const alice = { id: 7, login: "alice" };
  const used = await sessions.beginAs(alice, "Firefox/1");
  const idle = await sessions.beginAs(alice, "");
  now += dayMs - 1;
  await sessions.visitorOf(used);
  expect(await sessions.listLike(used)).toHaveLength(2);
  now += 1;
  const device = { kind: "browser", userAgent: "Firefox/1" };
  expect(await sessions.listLike(used)).toMatchObject([{ isThis: true, device, seenAt: now - 1 }]);
  expect(await sessions.listLike(idle)).toEqual([]);
});

test("a dashboard session ends when its token expires", async () => {
  const id = (await begin(["admin"], now + 5_000)) ?? "";
  now += 4_999;
  expect(await sessions.visitorOf(id)).toMatchObject({ principal: { organisation: "acme" } });
  now += 1;
  expect(await sessions.visitorOf(id)).toBeNull();
});

test("a token without read access cannot start a dashboard session", async () => {
  expect(await begin(["submit", "tests:upload"])).toBeNull();
});

test("a dashboard session cannot be used by a stored digest, a token, or a token's id", async () => {
  const { token, record } = await tokens.create({
    organisation: "acme",
    name: "me",
    scopes: ["read"],
    expiresAt: null,
  });
  await sessions.beginWithToken(token, "");
  for (const guess of [record.id, token, record.secretSha256, ""])
    expect(await sessions.visitorOf(guess)).toBeNull();
});
