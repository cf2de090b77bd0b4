import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type EndpointName, endpoints } from "../../src/api/endpoints.ts";
import { openApiDocument } from "../../src/api/openapi/document.ts";
import { examples } from "../../src/api/openapi/examples.ts";
import type { TokenScope } from "../../src/store/access/token-store.ts";
import { type Api, startApi } from "./api-harness.ts";

const { paths } = openApiDocument() as {
  paths: Readonly<
    Record<
      string,
      Readonly<
        Partial<Record<"get" | "post", { readonly description: string; readonly operationId: string }>>
      >
    >
  >;
};

/** All operations of the API's description. An endpoint that is added to it is tested here automatically. */
const operations = Object.entries(paths).flatMap(([path, { get, post }]) => {
  const method = post ? "POST" : "GET";
  const { description, operationId: name } = post ?? get ?? { description: "", operationId: "" };
  const scope = /scope `([\w:]+)`/.exec(description)?.[1] as TokenScope;
  return [{ name, path, method, scope }];
});

const scopes: readonly TokenScope[] = ["read", "submit", "queue:admin", "tests:upload"];
const challenges: Readonly<Record<string, RegExp>> = {
  TOKEN_MISSING: /^ApiToken realm=/,
  TOKEN_NOT_VALID: /error="invalid_token"/,
  SCOPE_MISSING: /error="insufficient_scope"/,
};

let api: Api;
let webhookId: unknown;

beforeAll(async () => {
  api = await startApi();
  await createAgain("createQueue");
  await createAgain("createWebhook");
});
afterAll(() => api.close());

/** Creates the queue or webhook that the requests are about. */
async function createAgain(name: "createQueue" | "createWebhook"): Promise<void> {
  const { body } = await api.post(name, bodyFor(name));
  if (name === "createWebhook") webhookId = body.id;
}

/** The example body of the operation, with a repository of this host and the id of the existing webhook. */
function bodyFor(name: string, repo: { owner?: string; name?: string } = {}): object {
  const { body } = examples[name as EndpointName];
  return {
    ...body,
    ...("id" in body ? { id: webhookId } : {}),
    ...("repo" in body ? { repo: { ...api.queue.repo, ...repo } } : {}),
  };
}

interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The body as sent, with the request id replaced. */
  readonly text: string;
  readonly code: unknown;
}

async function call(
  { name, path, method }: (typeof operations)[number],
  headers: Record<string, string>,
  repo: { owner?: string; name?: string } = {},
): Promise<RawAnswer> {
  const { owner, name: repoName, host } = { ...api.queue.repo, ...repo };
  const query = method === "GET" ? `?repo=${owner}/${repoName}&repoHost=${host}` : "";
  const response = await fetch(`${api.url}${path}${query}`, {
    method,
    headers: { "content-type": "application/json", ...headers },
    ...(method === "POST" ? { body: JSON.stringify(bodyFor(name, repo)) } : {}),
  });
  const text = await response.text();
  const { date: _date, "x-request-id": id = "", ...kept } = Object.fromEntries(response.headers);
  const isJson = response.headers.get("content-type")?.includes("json");
  const code = isJson ? (JSON.parse(text) as { code?: unknown }).code : undefined;
  return { status: response.status, headers: kept, text: text.replaceAll(id, "THE-ID"), code };
}

test("every endpoint is served, documents its scope, and has an example", () => {
  expect(operations.map(({ name }) => name)).toEqual([...Object.keys(endpoints), "getMergeQueueMetrics"]);
  for (const { name, scope } of operations) {
    expect([...scopes, "admin"]).toContain(scope);
    if (name in endpoints) expect(endpoints[name as EndpointName].scope).toBe(scope);
  }
});

describe.each(operations)("$name", (operation) => {
  const { name, scope } = operation;
  const withToken = async (token: string | Promise<string>) => ({ "x-api-token": await token });
  const bearer = `Bearer ${["{}", "{}", "x"].map((part) => Buffer.from(part).toString("base64url")).join(".")}`;

  test.each<[what: string, status: number, code: string, headers: () => Promise<Record<string, string>>]>([
    ["no token", 401, "TOKEN_MISSING", async () => ({})],
    ["an empty token", 401, "TOKEN_MISSING", () => withToken("")],
    ["a token of white space", 401, "TOKEN_MISSING", () => withToken("  ")],
    ["an empty bearer token", 401, "TOKEN_MISSING", async () => ({ authorization: "Bearer " })],
    ["another kind of authorization", 401, "TOKEN_MISSING", async () => ({ authorization: "Basic eDp5" })],
    [
      "a bearer token where none is accepted",
      403,
      "API_TOKEN_NEEDED",
      async () => ({ authorization: bearer }),
    ],
    ["a malformed token", 401, "TOKEN_NOT_VALID", () => withToken("hunter2")],
    ["an unknown token", 401, "TOKEN_NOT_VALID", () => withToken(`ty_${"0".repeat(12)}_${"A".repeat(43)}`)],
    [
      "a known id with another secret",
      401,
      "TOKEN_NOT_VALID",
      async () => withToken(`${(await api.createToken([scope])).slice(0, -4)}AAAA`),
    ],
    ["an expired token", 401, "TOKEN_NOT_VALID", () => withToken(api.createToken([scope], { ttlMs: 0 }))],
    ["a revoked token", 401, "TOKEN_NOT_VALID", () => withToken(revokedToken(scope))],
    ["a token of another kind of secret", 401, "TOKEN_NOT_VALID", () => withToken(`Bearer ${bearer}`)],
    [
      "every scope but its own",
      403,
      "SCOPE_MISSING",
      () => withToken(api.createToken(scopes.filter((one) => one !== scope))),
    ],
    ["no scope at all", 403, "SCOPE_MISSING", () => withToken(api.createToken([]))],
  ])("given %s responds with %d %s, whether or not the queue exists", async (_what, status, code, make) => {
    const headers = await make();
    const answer = await call(operation, headers);
    expect({ status: answer.status, code: answer.code }).toEqual({ status, code });
    expect(answer.headers["www-authenticate"]).toMatch(challenges[code] ?? /^ApiToken/);
    expect(await call(operation, headers, { owner: "nobody" })).toEqual(answer);
  });

  test("rejects an invalid API token even if a bearer token or a run id is sent with it", async () => {
    const others = { authorization: bearer, "x-forked-workflow-run-id": "1" };
    expect(await call(operation, { "x-api-token": "hunter2", ...others })).toMatchObject({
      code: "TOKEN_NOT_VALID",
    });
    expect(await call(operation, { "x-api-token": "", ...others })).toMatchObject({
      code: "API_TOKEN_NEEDED",
    });
  });

  test("accepts an API token as a bearer token by the same rules", async () => {
    const asBearer = (token: string) =>
      call(operation, { authorization: `Bearer ${token}` }, { owner: "nobody" });
    const inHeader = (token: string) => call(operation, { "x-api-token": token }, { owner: "nobody" });
    for (const token of [
      "hunter2",
      await api.createToken([scope], { ttlMs: 0 }),
      await api.createToken(scopes.filter((one) => one !== scope)),
    ])
      expect(await asBearer(token)).toEqual(await inHeader(token));
    const admitted = await asBearer(await api.createToken([scope]));
    expect([200, 404]).toContain(admitted.status);
    if (name === "deleteWebhook") await createAgain("createWebhook");
  });

  test.each([
    ["its scope", () => api.createToken([scope])],
    ["the scope admin", () => api.createToken(["admin"])],
    ["its scope, for the organisation in capitals", () => api.createToken([scope], { organisation: "ACME" })],
    ["its scope, and an hour to live", () => api.createToken([scope], { ttlMs: 3_600_000 })],
  ])("accepts a token with %s", async (_what, makeToken) => {
    const answer = await call(operation, await withToken(makeToken()), { owner: "AcMe" });
    expect([200, 404, 409]).toContain(answer.status);
    expect(String(answer.code)).not.toMatch(/TOKEN|SCOPE|QUEUE_NOT_FOUND|INVALID_BODY/);
    if (name === "deleteQueue") await createAgain("createQueue");
    if (name === "deleteWebhook") await createAgain("createWebhook");
  });

  test("gives another organisation the same response for what exists and what does not", async () => {
    const headers = await withToken(api.createToken(["admin"], { organisation: `evil-${name}` }));
    const present = await call(operation, headers);
    // A webhook is always created for the caller's organisation; the request cannot name another one.
    if (name === "createWebhook") return;
    expect(await call(operation, headers, { name: "no-such" })).toEqual(present);
    expect(await call(operation, headers, { owner: "no-such" })).toEqual(present);
    expect(present.text).not.toContain("acme");
    if (present.status === 200) {
      // The request is about the caller's own organisation, which has no webhooks and no queues.
      expect(["listWebhooks", "deleteWebhook", "listQueues"]).toContain(name);
    } else {
      expect(present.status).toBe(404);
      expect(present.code).toBe(absenceOf(operation));
    }
  });
});

/** The error code that another organisation gets for what exists and what does not. */
function absenceOf({ name, path }: (typeof operations)[number]): string {
  if (name.includes("Webhook")) return "WEBHOOK_NOT_FOUND";
  if (name === "getMergeQueueMetrics") return "REPOSITORY_NOT_FOUND";
  if (["listAuditLog", "createQueue", "deleteQueue"].includes(name)) return "REPOSITORY_NOT_FOUND";
  return /\/flaky-tests\/|\/metrics\//.test(path) ? "REPOSITORY_NOT_FOUND" : "QUEUE_NOT_FOUND";
}

test("another organisation gets the same response as for a missing queue of its own", async () => {
  const foreign = await api.createToken(["admin"], { organisation: "evil" });
  const of = async (headers: Record<string, string>) => {
    const { body } = await api.post("getQueue", { ...api.queue, targetBranch: "nowhere" }, headers);
    return { ...body, instance: "" };
  };
  expect(await of({ "x-api-token": foreign })).toEqual(await of({}));
});

test("the body of a request without a token is not parsed", async () => {
  const { status } = await api.post("getQueue", "{ not JSON", { "x-api-token": "" });
  expect(status).toBe(401);
});

test("a token stops working as soon as it expires or is revoked", async () => {
  const expiring = await api.createToken(["read"], { ttlMs: 60_000 });
  const revoked = await api.createToken(["read"]);
  const statuses = async () =>
    Promise.all(
      [expiring, revoked].map(
        async (token) => (await api.post("getQueue", api.queue, { "x-api-token": token })).status,
      ),
    );
  expect(await statuses()).toEqual([200, 200]);
  await api.service.tokens.revoke(revoked.split("_")[1] ?? "");
  api.elapse(60_000);
  expect(await statuses()).toEqual([401, 401]);
});

test("the last use of a token is recorded to the minute, and rejected uses do not count", async () => {
  const token = await api.createToken(["read"]);
  const lastUse = async () => {
    const all = await api.service.tokens.list("acme");
    return all.find(({ id }) => id === token.split("_")[1])?.lastUsedAt ?? null;
  };
  await api.post("getQueue", api.queue, { "x-api-token": `${token.slice(0, -4)}AAAA` });
  expect(await lastUse()).toBeNull();
  await api.post("getQueue", api.queue, { "x-api-token": token });
  const first = await lastUse();
  api.elapse(30_000);
  await api.post("getQueue", api.queue, { "x-api-token": token });
  expect(await lastUse()).toBe(first);
  api.elapse(31_000);
  await api.post("getQueue", api.queue, { "x-api-token": token });
  expect(Number(await lastUse()) - Number(first)).toBeGreaterThan(60_000);
});

test("no response and no log line contains a token", async () => {
  const token = await api.createToken(["read"]);
  const secret = token.slice(-43);
  const answers = await Promise.all(
    operations.map((operation) =>
      call(operation, { "x-api-token": token, authorization: `Bearer ${secret}` }),
    ),
  );
  expect(JSON.stringify(answers)).not.toContain(secret);
  expect(api.logged.join("\n")).not.toContain(secret);
});

async function revokedToken(scope: TokenScope): Promise<string> {
  const token = await api.createToken([scope]);
  await api.service.tokens.revoke(token.split("_")[1] ?? "");
  return token;
}
