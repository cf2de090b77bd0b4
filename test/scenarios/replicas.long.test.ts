import { tmpdir } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect, test } from "@jest/globals";
import { freePort } from "../../src/cli/free-port.ts";
import { createClient, type TrainyardClient } from "../../src/client/client.ts";
import { withClient } from "../../tools/lab/postgres.ts";
import { Balancer } from "../../tools/lab/service/replica-set.ts";
import { Trainyard } from "../cli/run-trainyard.ts";
import { EventStream } from "../dashboard/event-stream.ts";
import { anotherDatabase } from "../postgres/postgres-database.ts";
import { eventually } from "./eventually.ts";
import { Stage } from "./stage.ts";

/** Two services on one database. */
let stage: Stage;
let other: { readonly url: string; readonly client: TrainyardClient };
let started: Trainyard[];

const defaults = {
  LOG_LEVEL: "info",
  TRAINYARD_DASHBOARD: "public",
  TRAINYARD_RECONCILE_MS: "1000",
};

afterEach(async () => {
  for (const { child } of started) {
    child.kill("SIGCONT");
    child.kill("SIGTERM");
  }
  await Promise.all(started.map(({ finished }) => finished));
  await stage.close();
});

async function open(settings: Readonly<Record<string, string>> = {}): Promise<void> {
  started = [];
  let environment: Readonly<Record<string, string>> = {};
  stage = await Stage.open({
    databaseUrl: await anotherDatabase(),
    queue: {},
    environment: { ...defaults, ...settings },
    start: async (variables) => {
      environment = variables;
      return { url: await start(environment), close: async () => {} };
    },
  });
  const url = await start(environment);
  other = { url, client: createClient({ baseUrl: url, token: stage.token, timeoutMs: 180_000 }) };
  // Replicas learn of each other by their beats.
  await sleep(2_500);
}

test("a page of one replica shows within seconds what another one has done", async () => {
  await open();
  const page = stage.pageUrl.replace(stage.url, other.url);
  const events = await EventStream.open(`${page}/live`);
  const pr = await stage.openPullRequest("a");
  await stage.client.submitPullRequest({ ...stage.queue, pr: { number: pr } });
  expect(await events.nextWith(new RegExp(`#${pr}\\b`))).not.toBeNull();
  events.close();
  const entry = await other.client.getSubmittedPullRequest({ ...stage.queue, pr: { number: pr } });
  expect(entry.prNumber).toBe(pr);
  await stage.until(pr, "merged");
});

test("a token that was revoked through one replica is refused by the other at once", async () => {
  await open();
  const token = await stage.issueToken({ organisation: "acme", scopes: ["read"] });
  const client = createClient({ baseUrl: other.url, token, timeoutMs: 180_000 });
  await client.getQueue(stage.queue);
  const id = token.split("_")[1] ?? "";
  const revoke = ["token", "revoke", id, "--yes"];
  await new Trainyard(revoke, { DATABASE_URL: stage.databaseUrl }, tmpdir()).finished;
  await expect(client.getQueue(stage.queue)).rejects.toMatchObject({ status: 401 });
});

test("a run whose checks were reported to different replicas ends without polling", async () => {
  await open({ TRAINYARD_RECONCILE_MS: "3600000" });
  let sent = 0;
  const balancer = new Balancer(await freePort(), [stage.url, other.url], () => (sent++ % 2) / 2);
  await balancer.start();
  stage.sandbox.setWebhookUrl(`${balancer.url}/api/github/webhooks`);
  const prs = [await stage.openPullRequest("a"), await stage.openPullRequest("b")];
  for (const pr of prs) await stage.comment(pr, "/trainyard merge");
  for (const pr of prs) await stage.until(pr, "merged");
  await balancer.stop();
});

test("the rate limit of an organisation counts its requests to all replicas", async () => {
  const perSecond = 10_000;
  await open({ TRAINYARD_RATE_LIMIT: String(perSecond) });
  const many = 50;
  const used = await eventually(async () => {
    await Promise.all(Array.from({ length: many }, () => requestsLeft(stage.url)));
    await requestsLeft(other.url);
    await sleep(200);
    const left = perSecond - (await requestsLeft(other.url));
    return left > many ? left : null;
  }, "the other replica to know of these requests");
  expect(used).toBeLessThan(perSecond);
});

test("when the leading replica is killed, the other one leads, and finds what no webhook reported", async () => {
  await open();
  const leading = await eventually(
    async () => started.find(({ err }) => err.includes('"LEADS"')) ?? null,
    "one of them to lead",
  );
  const left = started.find((one) => one !== leading);
  const pr = await stage.openPullRequest("a");
  leading.child.kill("SIGKILL");
  await leading.finished;
  const url = left === started[0] ? stage.url : other.url;
  stage.moveTo({ url, close: async () => {} });
  // GitHub reports nothing from here on.
  stage.sandbox.setWebhookUrl("http://127.0.0.1:9/");
  await stage.comment(pr, "/trainyard merge");
  await stage.until(pr, "merged");
  expect(left?.err).toContain('"LEADS"');
});

test("a replica that is stopped within a transaction holds up the other one for seconds only", async () => {
  await open();
  const [stopped] = started;
  const pr = await stage.openPullRequest("a");
  await whileBeating(stopped?.child.pid ?? 0, () => stopped?.child.kill("SIGSTOP"));
  const began = performance.now();
  stage.moveTo({ url: other.url, close: async () => {} });
  await stage.client.submitPullRequest({ ...stage.queue, pr: { number: pr } });
  expect(performance.now() - began).toBeLessThan(60_000);
  await stage.until(pr, "merged");
  stopped?.child.kill("SIGCONT");
  const later = await stage.openPullRequest("b");
  await stopped?.says(/"FOLLOWS"/);
  await stage.client.submitPullRequest({ ...stage.queue, pr: { number: later } });
  await stage.until(later, "merged");
});

/** Acts within a transaction that writes a replica's beat, and so holds the lock of writers. */
async function whileBeating(pid: number, act: () => void): Promise<void> {
  await withClient(stage.databaseUrl, async (client) => {
    await client.query("begin");
    await client.query("select from replicas where name like '% ' || $1::text for update", [pid]);
    await eventually(async () => {
      const waiting = `select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and wait_event <> 'advisory'`;
      return (await client.query(waiting)).rowCount || null;
    }, "the replica to write its beat");
    act();
    await client.query("rollback");
  });
}

/** How many requests a replica still permits in this second. */
async function requestsLeft(url: string): Promise<number> {
  const answer = await fetch(`${url}/v1/getQueue`, {
    method: "POST",
    headers: { "x-api-token": stage.token, "content-type": "application/json" },
    body: JSON.stringify(stage.queue),
  });
  await answer.arrayBuffer();
  return Number(answer.headers.get("ratelimit-remaining"));
}

async function start(environment: Readonly<Record<string, string>>): Promise<string> {
  const service = new Trainyard(["serve"], environment, tmpdir());
  started.push(service);
  const [, url = ""] = await service.says(/"url":"(http:[^"]+)"/);
  return url;
}
