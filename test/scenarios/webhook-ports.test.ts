import { randomBytes } from "node:crypto";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { ApiError } from "../../src/client/client.ts";
import { HttpWebhookPoster } from "../../src/receivers/http-webhook-poster.ts";
import { Receiver } from "../service/webhooks/receiver.ts";
import { eventually } from "./eventually.ts";
import { Stage } from "./stage.ts";

let stage: Stage | null = null;
let receiver: Receiver;
let other: Receiver;

beforeEach(async () => {
  [receiver, other] = await Promise.all([Receiver.start(), Receiver.start()]);
});
afterEach(async () => {
  await Promise.all([receiver.close(), other.close()]);
  await stage?.close();
  stage = null;
});

async function open(environment: Record<string, string>): Promise<Stage> {
  const TRAINYARD_ENCRYPTION_KEY = randomBytes(32).toString("base64");
  stage = await Stage.open({ queue: {}, environment: { TRAINYARD_ENCRYPTION_KEY, ...environment } });
  return stage;
}

/** The code of a refusal; null when the request was not refused. */
async function refusal(request: Promise<unknown>): Promise<string | null> {
  try {
    await request;
    return null;
  } catch (error) {
    if (error instanceof ApiError) return error.code;
    throw error;
  }
}

test("webhooks go only to port 443 by default", async () => {
  const { client } = await open({});
  for (const url of [
    "https://hooks.example:8443/hook",
    "https://hooks.example:22",
    "https://hooks.example:80",
  ])
    expect(await refusal(client.createWebhook({ url }))).toBe("WEBHOOK_PORT_REFUSED");
  const { id } = await client.createWebhook({ url: "https://hooks.example:443/hook" });
  expect(await refusal(client.updateWebhook({ id, url: "https://hooks.example:8443" }))).toBe(
    "WEBHOOK_PORT_REFUSED",
  );
});

test("webhooks connect only to allowed ports, even after a redirect", async () => {
  const { client, queue } = await open({
    TRAINYARD_WEBHOOK_ALLOW_PRIVATE: "true",
    TRAINYARD_WEBHOOK_PORTS: `443, ${receiver.port}`,
  });
  expect(await refusal(client.createWebhook({ url: other.url }))).toBe("WEBHOOK_PORT_REFUSED");
  receiver.answer = (_received, response) => void response.writeHead(307, { location: other.url }).end();
  const { id } = await client.createWebhook({ url: receiver.url });
  const pr = await stage?.openPullRequest("one");
  await client.submitPullRequest({ ...queue, pr: { number: pr ?? 0 } });
  const delivery = await eventually(async () => {
    const { deliveries } = await client.listWebhookDeliveries({ id });
    return deliveries.find(({ lastStatus }) => lastStatus !== null) ?? null;
  }, "an attempt");
  expect(delivery).toMatchObject({ state: "waiting", lastStatus: 307 });
  expect(other.connections).toBe(0);
});

test("webhooks are not sent to a port that is no longer allowed", async () => {
  const poster = new HttpWebhookPoster({ allowPrivate: true, ports: [443] });
  expect(await poster.post(receiver.url, {}, "{}")).toEqual({
    kind: "failed",
    error: `nothing was sent: its port ${receiver.port} is not one of those allowed, 443 (WEBHOOK_PORT_REFUSED)`,
  });
  expect(receiver.connections).toBe(0);
});
