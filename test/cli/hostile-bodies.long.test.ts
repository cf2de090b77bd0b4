import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { type ClientRequest, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { HealthWatch } from "../../bench/health-watch.ts";
import { hostileBodies, type Victim } from "../../bench/hostile-bodies.ts";
import { sendPosts } from "../../bench/send-posts.ts";
import { freePort } from "../../src/cli/free-port.ts";
import { createClient } from "../../src/client/client.ts";
import { issueToken, ServiceProcess } from "../../tools/lab/service/service-process.ts";

import type { Sandbox } from "../../tools/sandbox/sandbox.ts";
import { startSandbox } from "../../tools/sandbox/start-sandbox.ts";
import { openPull } from "../sandbox/commit-on-branch.ts";
import { client } from "../sandbox/scene.ts";

/**
 * Far more than needed (`npm run bench -- hostile`), because the machine may be busy. A blocked event loop
 * takes seconds.
 */
const patienceMs = 2_500;
const mostMegabytes = 400;

let directory: string;
let sandbox: Sandbox;
let service: ServiceProcess;
let victim: Victim;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "trainyard-hostile-"));
  sandbox = await startSandbox();
  const repository = { owner: "acme", name: "widgets" };
  await sandbox.createRepository({ ...repository, files: { "README.md": "" }, ci: null });
  const databaseUrl = `sqlite:${join(directory, "trainyard.db")}`;
  const env = {
    ...sandbox.env,
    HOST: "127.0.0.1",
    PORT: String(await freePort()),
    DATABASE_URL: databaseUrl,
    TRAINYARD_RATE_LIMIT: "0",
  };
  service = new ServiceProcess(env, join(directory, "service.log"));
  await service.start();
  const token = await issueToken(databaseUrl, repository.owner, "admin");
  const queue = { repo: { host: sandbox.host, ...repository }, targetBranch: "main" };
  await createClient({ baseUrl: service.url, token, timeoutMs: 180_000 }).createQueue({
    ...queue,
    state: "paused",
  });
  const alice = sandbox.createUser({ login: "alice", permission: "write" });
  const { sha: headSha } = await openPull(client(sandbox, alice.token), "feature", { "a.txt": "1" });
  victim = { token, queue, webhookSecret: sandbox.app.webhookSecret, headSha };
});
afterAll(async () => {
  await service.stop();
  await sandbox.close();
  await rm(directory, { recursive: true, force: true });
});

/**
 * Starts a new process, because memory that V8 and the allocator keep from one input would count for the next
 * one.
 */
async function restart(): Promise<void> {
  await service.kill();
  await service.start();
}

/** The peak of resident memory in megabytes; 0 where the system does not report it. */
async function peakMegabytes(): Promise<number> {
  if (process.platform !== "linux") return 0;
  const [, kibibytes] =
    /^VmHWM:\s+(\d+) kB$/m.exec(await readFile(`/proc/${service.pid}/status`, "utf8")) ?? [];
  return (Number(kibibytes) * 1024) / 1e6;
}

/** The expected statuses for one body of each kind. `npm run bench -- hostile` sends all of them. */
const expected: Readonly<Partial<Record<keyof typeof hostileBodies, readonly number[]>>> = {
  "escaped-targets": [200],
  "eight-target-lists": [200, 503],
  nested: [400, 503],
  "different-objects": [400],
  "tiny-tests": [200],
  "unknown-fields": [400],
  "wide-quarantines": [200],
  "failing-report": [200],
  bombs: [413, 503],
  // The connection is closed, which some clients notice before they read the response.
  "unsigned-webhooks": [401, 0],
  "signed-webhooks": [200, 503],
};

test.each(Object.keys(expected))(
  "the service stays responsive and within its memory limit while a client sends %s",
  async (name) => {
    const posts = hostileBodies[name]?.(victim) ?? [];
    await restart();
    const watch = await HealthWatch.begin(service.url);
    const answers = await sendPosts(service.url, posts);
    const latencies = await watch.end();
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => !expected[name]?.includes(status))).toEqual([]);
    const busy = answers.filter(({ status }) => status === 503);
    expect(busy.filter(({ retryAfter }) => !(Number(retryAfter) > 0))).toEqual([]);
    expect(statuses.length - busy.length).toBeGreaterThan(0);
    expect(Math.max(...latencies)).toBeLessThan(patienceMs);
    expect(await peakMegabytes()).toBeLessThan(mostMegabytes);
  },
);

test("clients that send large bodies slowly do not block other requests, large or small", async () => {
  const bytes = 20 * 1024 * 1024;
  const slow: ClientRequest[] = Array.from({ length: 4 }, () => {
    const headers = {
      "content-type": "application/json",
      "content-length": bytes,
      "x-api-token": victim.token,
    };
    return request(`${service.url}/v1/setImpactedTargets`, { method: "POST", headers, agent: false });
  });
  for (const sending of slow) sending.on("error", () => {}).write(" ");
  const refused = Promise.race(slow.map((sending) => once(sending, "response")));
  const client = createClient({ baseUrl: service.url, token: victim.token, timeoutMs: 180_000 });
  expect(await client.getQueue(victim.queue as Parameters<typeof client.getQueue>[0])).toMatchObject({
    branch: "main",
  });
  const [large] = hostileBodies["eight-target-lists"]?.(victim) ?? [];
  const [answer] = await sendPosts(service.url, large ? [large] : []);
  expect(answer).toEqual({ status: 200, retryAfter: null });
  const [response] = await refused;
  expect(response.statusCode).toBe(503);
  for (const sending of slow) sending.destroy();
});
