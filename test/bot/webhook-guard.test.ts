import { createHmac, randomUUID } from "node:crypto";
import { request } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { Stage } from "../scenarios/stage.ts";

let stage: Stage;

beforeAll(async () => {
  stage = await Stage.open({ queue: {}, environment: { WEBHOOK_SECRET_PREVIOUS: "the one before" } });
});
afterAll(() => stage.close());

/** A comment by alice with a merge command, as GitHub sends it. */
function commandOn(pr: number): string {
  const person = { login: "alice", id: 1, type: "User" };
  return JSON.stringify({
    action: "created",
    issue: { number: pr, pull_request: { url: "" }, labels: [] },
    comment: {
      id: 1_000_000 + pr,
      node_id: `comment-${pr}`,
      body: "/trainyard merge",
      created_at: new Date().toISOString(),
      user: person,
    },
    repository: { id: 1, name: "widgets", full_name: "acme/widgets", owner: { login: "acme" } },
    installation: { id: 1 },
    sender: person,
  });
}

function deliver(body: string, headers: Record<string, string | undefined> = {}): Promise<Response> {
  const all = {
    "content-type": "application/json",
    "x-github-event": "issue_comment",
    "x-github-delivery": randomUUID(),
    "x-hub-signature-256": sign(body),
    ...headers,
  };
  const present = Object.entries(all).filter((header): header is [string, string] => header[1] !== undefined);
  return fetch(`${stage.url}/api/github/webhooks`, {
    method: "POST",
    body,
    headers: Object.fromEntries(present),
  });
}

function sign(body: string, secret = stage.sandbox.app.webhookSecret): string {
  return `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;
}

describe("a webhook delivery", () => {
  test("that is signed with the secret or the previous secret is accepted", async () => {
    const body = JSON.stringify({ zen: "Design for failure.", hook_id: 1, hook: {} });
    expect((await deliver(body, { "x-github-event": "ping" })).status).toBe(200);
    const previous = { "x-github-event": "ping", "x-hub-signature-256": sign(body, "the one before") };
    expect((await deliver(body, previous)).status).toBe(200);
  });

  test.each(["__proto__", "constructor", "toString", "*", "error", "no_such_event"])(
    "of the event %s is acknowledged and forgotten",
    async (event) => {
      const body = JSON.stringify({ action: "__proto__" });
      expect((await deliver(body, { "x-github-event": event })).status).toBe(200);
    },
  );

  test.each([
    ["without a signature", { "x-hub-signature-256": undefined }],
    ["with a signature by another secret", { "x-hub-signature-256": `sha256=${"0".repeat(64)}` }],
    ["with a malformed signature", { "x-hub-signature-256": "sha1=abc" }],
    ["with an empty signature", { "x-hub-signature-256": "" }],
    ["with a signature that is too short", { "x-hub-signature-256": `sha256=${"0".repeat(63)}` }],
    ["signed with Probot's default secret", "development"],
  ])("%s is rejected with 401 and changes nothing", async (_how, headers) => {
    const pr = await stage.openPullRequest(`refused-${randomUUID().slice(0, 8)}`);
    const body = commandOn(pr);
    const forged = typeof headers === "string" ? { "x-hub-signature-256": sign(body, headers) } : headers;
    expect((await deliver(body, forged)).status).toBe(401);
    expect(await stage.look(pr)).toBeNull();
    expect(await stage.ourComments(pr)).toEqual([]);
  });

  test("whose body is not a JSON object is rejected with 400", async () => {
    for (const body of ["{", "[]", "null", "not json"]) expect((await deliver(body)).status).toBe(400);
  });

  test("without its event or its id is rejected with 400", async () => {
    const body = commandOn(1);
    expect((await deliver(body, { "x-github-event": undefined })).status).toBe(400);
    expect((await deliver(body, { "x-github-delivery": undefined })).status).toBe(400);
  });

  test("that announces more than 25 MiB is rejected with 413 before it is read", async () => {
    expect(await statusOfUpload({ "content-length": String(26 * 1024 * 1024) }, 0)).toBe(413);
  });

  test("that grows beyond 25 MiB is rejected with 413", async () => {
    const headers = { "transfer-encoding": "chunked", "x-hub-signature-256": `sha256=${"0".repeat(64)}` };
    expect(await statusOfUpload(headers, 30 * 1024 * 1024)).toBe(413);
  });

  test.each([
    ["without a signature", {}, 401],
    ["with a malformed signature", { "x-hub-signature-256": "sha256=none" }, 401],
    ["without its event", { "x-github-event": "" }, 400],
    ["without its id", { "x-github-delivery": "" }, 400],
  ])("%s is rejected before its body arrives", async (_how, headers, status) => {
    expect(await statusOfUpload({ "content-length": "1000000", ...headers }, 0)).toBe(status);
  });

  test("of 25 MiB is accepted when it is signed", async () => {
    const commit = { added: [], modified: ["src/some/file.ts"], removed: [] };
    const commits = Array(300_000).fill(commit);
    const push = { ref: "refs/heads/elsewhere", after: "a".repeat(40), repository: { name: "widgets" } };
    const text = JSON.stringify({ ...push, commits, padding: "" });
    const body = text.replace('"padding":""', `"padding":"${"x".repeat(25 * 1024 * 1024 - text.length)}"`);
    expect(Buffer.byteLength(body)).toBe(25 * 1024 * 1024);
    expect((await deliver(body, { "x-github-event": "push" })).status).toBe(200);
  });

  test("that arrives twice is processed once", async () => {
    const pr = await stage.openPullRequest("twice");
    const installation = { id: installationId() };
    const body = JSON.stringify({ ...JSON.parse(commandOn(pr)), installation });
    const same = { "x-github-delivery": randomUUID() };
    expect([(await deliver(body, same)).status, (await deliver(body, same)).status]).toEqual([200, 200]);
    // The same comment under another delivery id, as after a redelivery by polling.
    expect((await deliver(body)).status).toBe(200);
    await stage.until(pr, "merged");
    await stage.untilCommented(pr, /\*\*Merged\*\*/);
  });

  test("to another path or with another method is rejected", async () => {
    expect((await fetch(`${stage.url}/api/github/webhooks`)).status).toBe(405);
    expect((await fetch(`${stage.url}/api/github/elsewhere`, { method: "POST" })).status).toBe(404);
  });
});

function installationId(): number {
  return (
    stage.sandbox.deliveries.findLast((delivery) => delivery.installationId !== null)?.installationId ?? 0
  );
}

/** Sends the given number of bytes without ending the body, until a response arrives. */
function statusOfUpload(headers: Record<string, string>, bytes: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const upload = request(`${stage.url}/api/github/webhooks`, {
      method: "POST",
      headers: {
        "x-github-event": "push",
        "x-github-delivery": randomUUID(),
        "content-type": "application/json",
        ...headers,
      },
    });
    upload.on("response", (response) => {
      resolve(response.statusCode ?? 0);
      upload.destroy();
    });
    upload.on("error", reject);
    upload.flushHeaders();
    const piece = Buffer.alloc(64 * 1024, " ");
    const pump = (sent: number): void => {
      if (sent >= bytes || upload.destroyed) return;
      upload.write(piece, () => setImmediate(pump, sent + piece.length));
    };
    if (bytes > 0) pump(0);
  });
}
