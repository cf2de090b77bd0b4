import { once } from "node:events";
import { request as httpRequest } from "node:http";
import { connect, type Socket } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import type { EndpointName } from "../../src/api/endpoints.ts";
import { examples } from "../../src/api/openapi/examples.ts";
import { openPull } from "../sandbox/commit-on-branch.ts";
import { client } from "../sandbox/scene.ts";
import { eventually } from "../scenarios/eventually.ts";
import { type Api, startApi } from "./api-harness.ts";
import { type Operation, operations, undocumented } from "./documented.ts";

/** The operations and statuses of all responses so far. */
const reached = new Set<string>();
const note = ({ operationId }: Operation, status: number) => void reached.add(`${operationId} ${status}`);
const posts = operations.filter(({ method }) => method === "POST");
const finding = operations.filter(({ responses }) => 404 in responses);

let api: Api;
const others: Api[] = [];
let admin: string;
/** A valid body for each endpoint, about existing things. */
let bodies: Record<EndpointName, object>;

beforeAll(async () => {
  api = await startApi({ ci: { durationMs: [600_000, 600_000] } });
  await api.service.start();
  admin = await api.createToken(["admin"]);
  bodies = await prepare(api);
});
afterEach(async () => {
  for (const one of others.splice(0)) await one.close();
});
afterAll(() => api.close());

/** Creates a pull request that is being tested, and a webhook with a delivery about it. */
async function prepare(api: Api): Promise<Record<EndpointName, object>> {
  const { post, queue, sandbox } = api;
  const alice = client(sandbox, sandbox.createUser({ login: "alice", permission: "write" }).token);
  const { number, sha } = await openPull(alice, "feature", { "a.txt": "1" });
  await post("createQueue", { ...queue, requiredStatuses: ["build"] });
  const { body: webhook } = await post("createWebhook", { url: "https://hooks.example" });
  const about = { ...queue, pr: { number } };
  const next = { ...queue, pr: { number: (await openPull(alice, "next", { "b.txt": "1" })).number } };
  const tried = { ...queue, pr: { number: (await openPull(alice, "tried", { "c.txt": "1" })).number } };
  for (const one of [about, next]) await post("submitPullRequest", one);
  await eventually(
    async () => ((await post("getSubmittedPullRequest", about)).body.state === "testing" ? true : null),
    "the pull request to be tested",
  );
  const { body: listed } = await post("listWebhookDeliveries", { id: webhook.id });
  const [delivery] = listed.deliveries as { id: string }[];
  const upload = { ...examples.uploadTestResults.body, repo: queue.repo };
  const { body: uploaded } = await post("uploadTestResults", upload);
  const [reported] = uploaded.failed as { id: string }[];
  const ofWebhook = { id: webhook.id };
  const repository = { repo: queue.repo, org_url_slug: "acme" };
  const tests = { ...repository, page_query: { page_size: 20 } };
  const ofTest = { repo: queue.repo, test_case_id: reported?.id };
  return {
    submitPullRequest: about,
    cancelPullRequest: next,
    tryPullRequest: tried,
    cancelTry: tried,
    restartTestsOnPullRequest: about,
    getSubmittedPullRequest: about,
    getSubmittedPullRequests: { ...queue, prs: [{ number }] },
    listPullRequests: queue,
    explainPullRequest: about,
    setImpactedTargets: { ...queue, pr: { number, sha }, impactedTargets: ["//a"] },
    getMergeQueueTestingDetails: queue,
    proveCommit: { ...queue, sha },
    createQueue: { ...queue, targetBranch: "feature" },
    deleteQueue: { ...queue, targetBranch: "feature" },
    getQueue: queue,
    updateQueue: queue,
    examineQueue: queue,
    uploadTestResults: upload,
    createBundleUpload: { ...examples.createBundleUpload.body, repo: queue.repo },
    getQuarantineConfig: { ...examples.getQuarantineConfig.body, repo: queue.repo },
    setQuarantine: { ...ofTest, quarantine_setting: "ALWAYS_QUARANTINE" },
    linkTicketToTestCase: { ...ofTest, external_ticket_id: "https://tickets.example/1" },
    exportQuarantines: { repo: queue.repo },
    getTestSettings: { repo: queue.repo },
    updateTestSettings: { repo: queue.repo, quarantine_days: 14 },
    importQuarantines: { repo: queue.repo, quarantines: [] },
    listAuditLog: {},
    listQueues: {},
    createWebhook: { url: "https://hooks.example/2" },
    listWebhooks: {},
    updateWebhook: ofWebhook,
    deleteWebhook: { id: "no-such" },
    listWebhookDeliveries: ofWebhook,
    resendWebhookDelivery: { ...ofWebhook, deliveryId: delivery?.id },
    listQuarantinedTests: tests,
    listUnhealthyTests: tests,
    listFailingTests: { ...tests, start: "2026-03-01T00:00:00Z", end: "2026-03-02T00:00:00Z" },
    getTestDetails: { ...repository, test_id: reported?.id },
  };
}

interface Sent {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: string;
}

/**
 * Sends a request, by default with a token that has all scopes. Records the status of the response, and fails
 * if it is not documented.
 */
async function send(
  to: Api,
  operation: Operation,
  { body, headers = {}, query = "" }: Sent,
): Promise<number> {
  const { method, path } = operation;
  const response = await fetch(to.url + path + query, {
    method,
    headers: { "content-type": "application/json", "x-api-token": admin, ...headers },
    ...(method === "POST" ? { body: typeof body === "string" ? body : JSON.stringify(body ?? {}) } : {}),
  });
  return noteAnswer(operation, response.status, response.headers.get("content-type"), await response.text());
}

function noteAnswer(operation: Operation, status: number, type: string | null, text: string): number {
  const body = type?.includes("json") ? JSON.parse(text) : text;
  expect(undocumented(operation.path, { status, type, body })).toBeNull();
  note(operation, status);
  return status;
}

const valid = ({ operationId }: Operation) => bodies[operationId as EndpointName];

describe.each(operations)("$operationId", (operation) => {
  const isPost = operation.method === "POST";

  test("responds with 200 to a valid request, and with 409 to another body under the same idempotency key", async () => {
    const headers = { "idempotency-key": operation.operationId };
    expect(await send(api, operation, { body: valid(operation), headers })).toBe(200);
    if (!isPost) return;
    const again = await send(api, operation, { body: { ...valid(operation), another: 1 }, headers });
    if (409 in operation.responses) expect(again).toBe(409);
  });

  test("responds with 400 to a malformed request, 401 without a token, and 403 without the scope", async () => {
    const malformed = isPost ? { body: "{" } : { query: "?repo=acme/widgets" };
    expect(await send(api, operation, malformed)).toBe(400);
    expect(await send(api, operation, { headers: { "x-api-token": "" } })).toBe(401);
    expect(await send(api, operation, { headers: { "x-api-token": await api.createToken([]) } })).toBe(403);
  });
});

test.each(finding)("$operationId responds with 404 when its subject does not exist", async (operation) => {
  if (operation.method === "GET") {
    const query = `?repo=other/widgets&repoHost=${encodeURIComponent(api.queue.repo.host)}`;
    expect(await send(api, operation, { query })).toBe(404);
    return;
  }
  const { body } = examples[operation.operationId as EndpointName];
  // Each request has a different name, because the audit log lists what others asked for.
  const repo = { ...api.queue.repo, owner: "other", name: operation.operationId };
  const elsewhere = { ...body, ...("repo" in body ? { repo } : {}) };
  expect(await send(api, operation, { body: elsewhere })).toBe(404);
});

test.each(posts)(
  "$operationId responds with 413 before a body that is too large is sent, and with 415 to a body that is not JSON",
  async (operation) => {
    const headers = {
      "content-type": "application/json",
      "x-api-token": admin,
      "content-length": 20 * 1024 * 1024 + 1,
    };
    const sending = httpRequest(api.url + operation.path, { method: "POST", headers }).on("error", () => {});
    sending.flushHeaders();
    const [response] = await once(sending, "response");
    const text = (await response.setEncoding("utf8").toArray()).join("");
    expect(noteAnswer(operation, response.statusCode, response.headers["content-type"], text)).toBe(413);
    sending.destroy();
    expect(await send(api, operation, { headers: { "content-type": "text/plain" } })).toBe(415);
  },
);

test("every operation responds with 429 above the rate limit", async () => {
  const limited = await startApi({ requestsPerSecond: 1 });
  limited.stopClock();
  others.push(limited);
  const headers = { "x-api-token": await limited.createToken(["admin"]) };
  for (const operation of operations) {
    // The metrics have a limit of five a second.
    const atOnce = Array.from({ length: 12 }, () => send(limited, operation, { headers }));
    expect(await Promise.all(atOnce)).toContain(429);
  }
});

test("every operation responds with 500 when the database fails", async () => {
  const broken = await startApi();
  others.push(broken);
  await broken.loseDatabase();
  for (const operation of operations) expect(await send(broken, operation, {})).toBe(500);
});

test("every operation responds with 503 while the service shuts down", async () => {
  const leaving = await startApi();
  others.push(leaving);
  const { port } = new URL(leaving.url);
  const token = await leaving.createToken(["admin"]);
  const head = (method: string, path: string, length: number) =>
    [
      `${method} ${path} HTTP/1.1`,
      "host: trainyard",
      `x-api-token: ${token}`,
      "content-type: application/json",
      `content-length: ${length}\r\n\r\n`,
    ].join("\r\n");
  // Each connection stays open, because its request is in progress: the rest of the body is still missing.
  const sockets: Socket[] = [];
  for (const _operation of operations) {
    const socket = connect(Number(port), "127.0.0.1");
    const arrived = once(leaving.app.server, "request");
    socket.write(`${head("POST", "/v1/getQueue", 2)}{`);
    await arrived;
    sockets.push(socket);
  }
  const closed = leaving.app.close();
  for (const [index, operation] of operations.entries()) {
    const socket = sockets[index] as Socket;
    const body = operation.method === "POST" ? "{}" : "";
    socket.write(`}${head(operation.method, operation.path, body.length)}${body}`);
    const received = (await socket.setEncoding("utf8").toArray()).join("");
    const [, status = "", rest = ""] = /HTTP\/1\.1 \d+ .*HTTP\/1\.1 (\d+) (.*)$/s.exec(received) ?? [];
    const [, type = ""] = /content-type: ([^\r]*)/i.exec(rest) ?? [];
    const text = /\r\n\r\n(.*)$/s.exec(rest)?.[1] ?? "";
    expect(noteAnswer(operation, Number(status), type, text)).toBe(503);
  }
  await closed;
});

test("the tests above got every documented status and no other", () => {
  const documented = operations.flatMap(({ operationId, responses }) =>
    Object.keys(responses).map((status) => `${operationId} ${status}`),
  );
  expect([...reached].sort()).toEqual(documented.sort());
});
