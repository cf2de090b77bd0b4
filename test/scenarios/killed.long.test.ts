import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { DemoResult } from "../../tools/lab/demo/result.ts";
import type { RunningDemo } from "../../tools/lab/demo/run-demo.ts";
import { Receiver } from "../service/webhooks/receiver.ts";
import { eventually } from "./eventually.ts";
import { playDemo } from "./play-demo.ts";

const environment = {
  TRAINYARD_ENCRYPTION_KEY: randomBytes(32).toString("base64"),
  TRAINYARD_WEBHOOK_ALLOW_PRIVATE: "true",
};

let receiver: Receiver;
let result: DemoResult;
let told: Told = { ids: [], states: new Map() };

/** Plays the whole demo, killing the service at ten random moments. A webhook endpoint refuses one message in nine. */
beforeAll(async () => {
  Object.assign(process.env, environment);
  receiver = await Receiver.start();
  let count = 0;
  receiver.refuse(() => ++count % 9 === 0);
  result = await playDemo({
    seed: 1,
    watch: async (demo) => {
      const { id } = await demo.client.createWebhook({ url: receiver.url, events: ["pull_request.*"] });
      await killOften(demo, 10);
      told = await listen(demo, id);
    },
  });
});
afterAll(async () => {
  for (const name of Object.keys(environment)) delete process.env[name];
  await receiver.close();
});

test("the demo ends with the right outcomes when the service is killed at ten random moments", () => {
  expect(result).toMatchObject({ violations: [], baseCommitsRed: 0, treeProofs: result.merged });
});

test("a webhook endpoint gets every message of each pull request in order when the service is killed at ten random moments", () => {
  const numbers = [...told.states.keys()];
  expect(numbers.length).toBeGreaterThanOrEqual(14);
  expect(new Set(receiver.ids)).toEqual(new Set(told.ids));
  for (const pr of numbers) {
    const own = receiver.received.filter(({ body }) => JSON.parse(body).pr_number === pr);
    // Delivery is at least once, so messages can repeat. Ids end with the place in the log.
    const places = [...new Set(own.map(({ id }) => id))].map((id) => Number(id.split("_").at(-1)));
    expect({ pr, places }).toEqual({ pr, places: places.toSorted((a, b) => a - b) });
    const state = told.states.get(pr);
    expect({ pr, action: JSON.parse(own.at(-1)?.body ?? "{}").action }).toEqual({
      pr,
      action: state === "cancelled" ? "canceled" : state,
    });
  }
});

interface Told {
  /** The ids of all messages. */
  readonly ids: readonly string[];
  /** The final state of each pull request. */
  readonly states: ReadonlyMap<number, string>;
}

/** Kills the service with SIGKILL until the demo ends, at most `times`. Fails if the demo ends before that many kills. */
async function killOften({ service, finished }: RunningDemo, times: number): Promise<void> {
  let ended = false;
  const ending = finished.finally(() => {
    ended = true;
  });
  let kills = 0;
  while (!ended) {
    await Promise.race([new Promise((resolve) => setTimeout(resolve, 50 + Math.random() * 400)), ending]);
    if (ended) break;
    await service.kill();
    kills += 1;
    await service.start();
    if (kills >= times) break;
  }
  expect(kills).toBeGreaterThanOrEqual(times);
}

/** Waits until the demo is over and all messages are delivered to the endpoint. */
async function listen({ client, finished, queue, pullRequests }: RunningDemo, id: string): Promise<Told> {
  await finished;
  const deliveries = await eventually(async () => {
    const found = await allDeliveries(client, id);
    return found.every(({ state }) => state === "delivered") ? found : null;
  }, "everything to be delivered");
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
