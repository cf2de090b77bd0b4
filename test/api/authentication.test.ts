import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { endpoints } from "../../src/api/endpoints.ts";
import type { TokenScope } from "../../src/ports/token-store.ts";
import { type Api, startApi } from "./api-harness.ts";

let api: Api;

beforeAll(async () => {
  api = await startApi();
  await api.post("createQueue", api.queue);
});

afterAll(() => api.close());

const scopes: readonly TokenScope[] = ["read", "submit", "queue:admin", "tests:upload"];
const names = Object.keys(endpoints);
const sha = "a".repeat(40);

/** A valid body of every endpoint, about a queue that is there and a pull request that is not. */
function bodyFor(endpoint: string, owner = "acme"): object {
  const queue = { repo: { ...api.queue.repo, owner }, targetBranch: "main" };
  if (endpoint === "listPullRequests" || !/PullRequest|Targets/.test(endpoint)) return queue;
  if (endpoint === "getSubmittedPullRequests") return { ...queue, prs: [{ number: 4711 }] };
  const pr = { number: 4711, ...(endpoint === "setImpactedTargets" ? { sha } : {}) };
  return { ...queue, pr, ...(endpoint === "setImpactedTargets" ? { impactedTargets: [] } : {}) };
}

describe.each(names)("%s", (endpoint) => {
  const needed = endpoints[endpoint as keyof typeof endpoints].scope;

  const call = (token: string | null, owner?: string) =>
    api.post(endpoint, bodyFor(endpoint, owner), token === null ? {} : { "x-api-token": token });

  test.each([
    ["no token", ""],
    ["a token of white space", "  "],
  ])("asks for a token when it gets %s", async (_what, token) => {
    const { status, headers, body } = await call(token);
    expect({ status, code: body.code }).toEqual({ status: 401, code: "TOKEN_MISSING" });
    expect(headers.get("www-authenticate")).toMatch(/^ApiToken realm=/);
  });

  test.each([
    ["malformed", async () => "hunter2"],
    ["unknown", async () => `ty_${"0".repeat(12)}_${"A".repeat(43)}`],
    [
      "of a known id with another secret",
      async () => `${(await api.createToken([needed])).slice(0, -4)}AAAA`,
    ],
    ["expired", async () => api.createToken([needed], { ttlMs: 0 })],
    ["revoked", () => revokedToken(needed)],
  ])("refuses a token that is %s", async (_what, makeToken) => {
    const { status, headers, body } = await call(await makeToken());
    expect({ status, code: body.code }).toEqual({ status: 401, code: "TOKEN_NOT_VALID" });
    expect(headers.get("www-authenticate")).toContain('error="invalid_token"');
  });

  test("refuses a token with every scope but its own, and says which one it needs", async () => {
    const token = await api.createToken(scopes.filter((scope) => scope !== needed));
    const { status, headers, body } = await call(token);
    expect({ status, code: body.code }).toEqual({ status: 403, code: "SCOPE_MISSING" });
    expect(body.detail).toContain(needed);
    expect(headers.get("www-authenticate")).toContain(`scope="${needed}"`);
  });

  test.each([
    ["its scope", async () => api.createToken([needed])],
    ["the scope admin", async () => api.createToken(["admin"])],
  ])("lets in a token with %s", async (_what, makeToken) => {
    const { body } = await call(await makeToken());
    expect(String(body.code)).not.toMatch(/TOKEN|SCOPE|QUEUE_NOT_FOUND/);
    if (endpoint === "deleteQueue") await api.post("createQueue", api.queue);
  });

  test("answers about another organisation's repositories alike, whether they have a queue or not", async () => {
    const token = await api.createToken(["admin"], { organisation: "evil" });
    const present = await call(token, "acme");
    const absent = await call(token, "acme-two");
    expect(present.status).toBe(404);
    expect({ ...present.body, instance: "" }).toEqual({ ...absent.body, instance: "" });
    expect(present.body.code).toBe("QUEUE_NOT_FOUND");
  });

  test("compares organisations in any case", async () => {
    const token = await api.createToken(["admin"], { organisation: "AcMe" });
    const { body } = await call(token, "ACME");
    expect(body.code).not.toBe("QUEUE_NOT_FOUND");
    if (endpoint === "deleteQueue") await api.post("createQueue", api.queue);
  });
});

test("what another organisation is told is what its own missing queue is told", async () => {
  const own = await api.post("getQueue", { ...api.queue, targetBranch: "nowhere" });
  const token = await api.createToken(["admin"], { organisation: "evil" });
  const foreign = await api.post(
    "getQueue",
    { ...api.queue, targetBranch: "nowhere" },
    { "x-api-token": token },
  );
  expect({ ...foreign.body, instance: "" }).toEqual({ ...own.body, instance: "" });
});

test("a header that is not there counts as an empty one", async () => {
  const response = await fetch(`${api.url}/v1/getQueue`, { method: "POST" });
  expect(await response.json()).toMatchObject({ status: 401, code: "TOKEN_MISSING" });
});

test("a stranger's body is not looked at", async () => {
  const { status } = await api.post("getQueue", "{ not JSON", { "x-api-token": "" });
  expect(status).toBe(401);
});

async function revokedToken(scope: TokenScope): Promise<string> {
  const token = await api.createToken([scope]);
  await api.service.tokens.revoke(token.split("_")[1] ?? "");
  return token;
}
