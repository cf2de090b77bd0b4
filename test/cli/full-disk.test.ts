import { execFile } from "node:child_process";
import { createHmac, randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { issueToken } from "../../tools/lab/service/service-process.ts";
import type { Sandbox } from "../../tools/sandbox/sandbox.ts";
import { startSandbox } from "../../tools/sandbox/start-sandbox.ts";
import { eventually } from "../scenarios/eventually.ts";
import { Trainyard } from "./run-trainyard.ts";

let directory: string;
let sandbox: Sandbox;
let service: Trainyard;
let url: string;
let token: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "trainyard-full-"));
  sandbox = await startSandbox();
  await sandbox.createRepository({ owner: "acme", name: "widgets", files: { "README.md": "" }, ci: null });
  const databaseUrl = `sqlite:${join(directory, "trainyard.db")}`;
  token = await issueToken(databaseUrl, "acme", "admin");
  const env = {
    ...sandbox.env,
    ...{ PORT: "0", HOST: "127.0.0.1", LOG_FORMAT: "json", DATABASE_URL: databaseUrl },
  };
  service = new Trainyard(["serve"], env, directory);
  [, url = ""] = await service.says(/"url":"(http:[^"]+)"/);
});
afterAll(async () => {
  service.child.kill("SIGKILL");
  await service.finished;
  await sandbox.close();
  await rm(directory, { recursive: true, force: true });
});

/** Limits the size of the service's files. The kernel rejects larger writes, as on a full disk. */
async function limitFiles(bytes: number | "unlimited"): Promise<void> {
  await promisify(execFile)("prlimit", ["--pid", String(service.child.pid), `--fsize=${bytes}:`]);
}

async function probe() {
  const response = await fetch(`${url}/readyz`);
  const { code = null } = (await response.json()) as { code?: string };
  return { status: response.status, code, retryAfter: response.headers.get("retry-after") };
}

function deliverComment(id: number) {
  const body = JSON.stringify({
    action: "created",
    issue: { number: 1, labels: [] },
    comment: { id },
    repository: { name: "widgets", full_name: "acme/widgets", owner: { login: "acme" } },
  });
  return fetch(`${url}/api/github/webhooks`, {
    method: "POST",
    body,
    headers: {
      "content-type": "application/json",
      "x-github-event": "issue_comment",
      "x-github-delivery": randomUUID(),
      "x-hub-signature-256": `sha256=${createHmac("sha256", sandbox.app.webhookSecret).update(body).digest("hex")}`,
    },
  });
}

async function createQueue() {
  const repo = { host: sandbox.host, owner: "acme", name: "widgets" };
  const response = await fetch(`${url}/v1/createQueue`, {
    method: "POST",
    body: JSON.stringify({ repo, targetBranch: "main" }),
    headers: { "content-type": "application/json", "x-api-token": token },
  });
  const { code = null } = (await response.json()) as { code?: string };
  return { status: response.status, code, retryAfter: response.headers.get("retry-after") };
}

const until = (status: number) =>
  eventually(async () => {
    const found = await probe();
    return found.status === status ? found : null;
  }, `/readyz to answer ${status}`);

describe("while the database cannot be written", () => {
  beforeAll(async () => {
    expect((await probe()).status).toBe(200);
    await limitFiles(1);
  });

  test("the service is alive but not ready, and says why", async () => {
    expect(await until(503)).toEqual({ status: 503, code: "DATABASE_WRITE_FAILED", retryAfter: "1" });
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
  });

  test("a webhook gets 503 with Retry-After, because it was not stored", async () => {
    const response = await deliverComment(1);
    expect(response.status).toBe(503);
    expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(0);
  });

  test("a command gets 503 with the reason and Retry-After", async () => {
    expect(await createQueue()).toEqual({ status: 503, code: "DATABASE_WRITE_FAILED", retryAfter: "1" });
  });

  test("the service becomes ready again once writes succeed, and accepts webhooks and commands", async () => {
    await limitFiles("unlimited");
    expect(await until(200)).toMatchObject({ status: 200 });
    expect((await deliverComment(1)).status).toBe(200);
    expect(await createQueue()).toMatchObject({ status: 200 });
  });
});
