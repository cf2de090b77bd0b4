import { randomBytes } from "node:crypto";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { type RunningDemo, runDemo } from "../../src/demo/run-demo.ts";
import { Receiver, verified } from "../service/webhooks/receiver.ts";
import { eventually, Stage } from "./stage.ts";

const environment = {
  TRAINYARD_ENCRYPTION_KEY: randomBytes(32).toString("base64"),
  TRAINYARD_WEBHOOK_ALLOW_PRIVATE: "true",
};

let stage: Stage | null = null;
let receiver: Receiver;

beforeEach(async () => {
  receiver = await Receiver.start();
});
afterEach(async () => {
  await receiver.close();
  await stage?.close();
  stage = null;
});

test("whoever listens is told the way of a pull request into the branch, and of another one out of the queue", async () => {
  const opened = await Stage.open({
    queue: {},
    environment: { ...environment, TRAINYARD_PUBLIC_URL: "https://queue.example" },
  });
  stage = opened;
  const { secret } = await opened.client.createWebhook({ url: receiver.url });
  const good = await opened.openPullRequest("good", { "facts/good.json": '{"sets":["x"]}\n' });
  const bad = await opened.openPullRequest("bad", { "facts/bad.json": '{"forbids":["x"]}\n' });
  for (const number of [good, bad])
    await opened.client.submitPullRequest({ ...opened.queue, pr: { number } });
  await opened.until(good, "merged");
  await opened.until(bad, "failed");

  const told = (pr: number) =>
    receiver.received.map((one) => verified(secret ?? "", one)).filter((payload) => payload.pr_number === pr);
  const actions = (pr: number) => told(pr).map(({ action }) => action);
  await eventually(async () => (actions(bad).includes("failed") ? true : null), "the failure to be told");
  await eventually(async () => (actions(good).includes("merged") ? true : null), "the merge to be told");
  expect(actions(good)).toEqual(["submitted", "queued", "testing", "merged"]);
  expect(actions(bad).slice(0, 3)).toEqual(["submitted", "queued", "testing"]);
  const pull = await opened.pull(good);
  const testing = told(good)[2];
  expect(testing).toMatchObject({
    author: "alice",
    http_details_url: `https://queue.example${new URL(opened.pageUrl).pathname}`,
    test_branch: expect.stringMatching(new RegExp(`^trainyard-merge/pr-${good}/`)),
    test_branch_sha: expect.stringMatching(/^[0-9a-f]{40}$/),
  });
  expect(told(good).at(-1)).toMatchObject({
    merged_reason: "MERGED_IN_ORDER",
    reason_text: `merged as ${pull.merge_commit_sha?.slice(0, 7)}`,
  });
  expect(told(bad).at(-1)).toMatchObject({
    failure_reason: "CHECKS_FAILED",
    reason_text: expect.stringContaining("failed: test"),
  });
});

test("with the service killed again and again while an endpoint is unreliable, everything is told, and in order", async () => {
  Object.assign(process.env, environment);
  let count = 0;
  receiver.refuse(() => ++count % 9 === 0);
  let told: Told = { ids: [], states: new Map() };
  const result = await runDemo({
    pullRequests: 6,
    seed: 3,
    mergeMethod: "merge_commit",
    concurrency: 3,
    mode: "single",
    batch: false,
    ciDurationMs: [300, 700],
    dropWebhooks: 0,
    port: null,
    watch: async (demo) => {
      told = await killAndListen(demo, receiver.url);
    },
  }).finally(() => {
    for (const name of Object.keys(environment)) delete process.env[name];
  });
  expect(result.violations).toEqual([]);
  const numbers = [...told.states.keys()];
  expect(numbers.length).toBeGreaterThanOrEqual(6);
  expect(new Set(receiver.ids)).toEqual(new Set(told.ids));
  for (const pr of numbers) {
    const own = receiver.received.filter(({ body }) => JSON.parse(body).pr_number === pr);
    // At least once: what comes again has come before, and ids end with the place in the log.
    const places = [...new Set(own.map(({ id }) => id))].map((id) => Number(id.split("_").at(-1)));
    expect({ pr, places }).toEqual({ pr, places: places.toSorted((a, b) => a - b) });
    const state = told.states.get(pr);
    expect({ pr, action: JSON.parse(own.at(-1)?.body ?? "{}").action }).toEqual({
      pr,
      action: state === "cancelled" ? "canceled" : state,
    });
  }
}, 120_000);

interface Told {
  /** Of every message that there was. */
  readonly ids: readonly string[];
  /** How each pull request has ended. */
  readonly states: ReadonlyMap<number, string>;
}

/** Kills the service four times, and waits until an endpoint has been told everything. */
async function killAndListen(demo: RunningDemo, url: string): Promise<Told> {
  const { client, service, finished, queue, pullRequests } = demo;
  const { id } = await client.createWebhook({ url, events: ["pull_request.*"] });
  for (let kills = 0; kills < 4; kills++) {
    await new Promise((resolve) => setTimeout(resolve, 300));
    await service.kill();
    await service.start();
  }
  await finished;
  const deliveries = await eventually(
    async () => {
      const found = await allDeliveries(client, id);
      return found.every(({ state }) => state === "delivered") ? found : null;
    },
    "everything to be delivered",
    60_000,
  );
  const states = pullRequests.map(async ({ number }) => {
    const entry = await client.getSubmittedPullRequest({ ...queue, pr: { number } });
    return [number, entry.state] as const;
  });
  return { ids: deliveries.map((delivery) => delivery.id), states: new Map(await Promise.all(states)) };
}

async function allDeliveries(client: RunningDemo["client"], id: string) {
  const all: Awaited<ReturnType<typeof client.listWebhookDeliveries>>["deliveries"] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await client.listWebhookDeliveries({ id, take: 100, ...(cursor ? { cursor } : {}) });
    all.push(...page.deliveries);
    cursor = page.nextCursor;
  }
  return all;
}
