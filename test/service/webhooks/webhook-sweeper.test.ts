import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { WebhookSweeper } from "../../../src/service/webhooks/webhook-sweeper.ts";
import { openStore, type Store } from "../../../src/store/sqlite/open-store.ts";
import { buildEndpoint, buildMessage } from "../../contract/build-webhook.ts";

const dayMs = 24 * 60 * 60_000;
const log = { debug() {}, info() {}, warn() {}, error() {} };

let store: Store;

beforeEach(async () => {
  store = await openStore(":memory:");
});
afterEach(() => store.close());

async function count(): Promise<number> {
  const all = await store.webhookDeliveries.list("a", { state: null, before: null, limit: 10_000 });
  return all.length;
}

test("the webhook sweeper deletes delivered messages after the set days, parked ones after a month, and waiting ones never", async () => {
  const { webhookEndpoints, webhookDeliveries } = store;
  await webhookEndpoints.add(buildEndpoint("a"), 9);
  const messages = Array.from({ length: 1_203 }, (_, n) => buildMessage(`m${n}`, { stream: `pr/${n}` }));
  await webhookDeliveries.announce({ organisation: "octo-org", messages: () => messages });
  const claimed = await webhookDeliveries.claim({ owner: "me", now: 1_000, leaseMs: 1 }, () => 10_000);
  await Promise.all(
    claimed.slice(1).map((row, index) => {
      const error = index === 0 ? "it answered 500" : null;
      return webhookDeliveries.conclude(row, { at: 2_000, status: 200, error }, null);
    }),
  );
  const sweepAt = (now: number) =>
    new WebhookSweeper(webhookDeliveries, { now: () => now }, log, 7 * dayMs).sweep();
  await sweepAt(2_000 + 7 * dayMs);
  expect(await count()).toBe(1_203);
  await sweepAt(2_001 + 7 * dayMs);
  expect(await count()).toBe(2);
  await sweepAt(2_001 + 30 * dayMs);
  expect(await count()).toBe(1);
});
