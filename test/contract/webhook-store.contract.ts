import { describe, expect, it } from "@jest/globals";
import type { WebhookMessage } from "../../src/ports/webhooks/webhook-message.ts";
import type { Store } from "../../src/store/sqlite/open-store.ts";
import type { ClaimedMessage } from "../../src/store/webhooks/webhook-deliveries.ts";
import { buildCommit, buildCreation, buildEvents } from "./build-queue.ts";
import { buildEndpoint, buildMessage } from "./build-webhook.ts";
import { type CreateDatabase, databaseForEachTest } from "./empty-database.ts";

const dayMs = 24 * 60 * 60_000;
const ok = { at: 2_000, status: 200, error: null };
const refused = { at: 2_000, status: 500, error: "500" };

function announce(store: Store, ...messages: WebhookMessage[]): Promise<void> {
  return store.webhookDeliveries.announce({ organisation: "Octo-Org", messages: () => messages });
}

async function claim(store: Store, now: number, room = 10): Promise<string[]> {
  const rows = await store.webhookDeliveries.claim({ owner: "me", now, leaseMs: 500 }, () => room);
  const names = rows.map(({ endpointId, messageId }) => `${endpointId} ${messageId}`);
  const held = claimed.get(store) ?? new Map<string, ClaimedMessage>();
  claimed.set(store, held);
  for (const [index, row] of rows.entries()) held.set(names[index] ?? "", row);
  return names;
}

/** The last claims of each store, by endpoint and message. */
const claimed = new WeakMap<Store, Map<string, ClaimedMessage>>();

function held(store: Store, endpointId: string, messageId: string): ClaimedMessage {
  const row = claimed.get(store)?.get(`${endpointId} ${messageId}`);
  if (!row) throw new Error(`${messageId} was not claimed for ${endpointId}`);
  return row;
}

async function states(store: Store, endpointId: string): Promise<string[]> {
  const rows = await store.webhookDeliveries.list(endpointId, { state: null, before: null, limit: 100 });
  return rows.map(({ messageId, state, attempts }) => `${messageId} ${state} ${attempts}`);
}

export function webhookStoreContract(create: CreateDatabase): void {
  describe("webhook endpoints", () => {
    const open = databaseForEachTest(create);

    it("are visible only to their organisation", async () => {
      const { webhookEndpoints } = await open();
      const own = buildEndpoint("own", { previous: { secret: "old", until: 5 }, events: ["a", "b.*"] });
      expect(await webhookEndpoints.add(own, 2)).toBe("added");
      await webhookEndpoints.add(buildEndpoint("foreign", { organisation: "elsewhere" }), 2);
      expect(await webhookEndpoints.list("octo-org")).toEqual([own]);
      expect((await webhookEndpoints.list(null)).map(({ id }) => id)).toEqual(["foreign", "own"]);
      expect(await webhookEndpoints.find("octo-org", "own")).toEqual(own);
      expect(await webhookEndpoints.find("octo-org", "foreign")).toBeNull();
      expect(await webhookEndpoints.change("octo-org", "foreign", { enabled: false })).toBeNull();
      expect(await webhookEndpoints.remove("octo-org", "foreign", 1)).toBeNull();
      expect(await webhookEndpoints.find("elsewhere", "foreign")).toMatchObject({ enabled: true });
    });

    it("are limited per organisation, without counting removed ones", async () => {
      const { webhookEndpoints } = await open();
      await webhookEndpoints.add(buildEndpoint("a"), 2);
      await webhookEndpoints.add(buildEndpoint("b"), 2);
      expect(await webhookEndpoints.add(buildEndpoint("c"), 2)).toBe("full");
      expect(await webhookEndpoints.remove("octo-org", "a", 1)).toEqual(buildEndpoint("a"));
      expect(await webhookEndpoints.remove("octo-org", "a", 1)).toBeNull();
      expect(await webhookEndpoints.add(buildEndpoint("c"), 2)).toBe("added");
      expect((await webhookEndpoints.list("octo-org")).map(({ id }) => id)).toEqual(["b", "c"]);
    });

    it("change only in the given fields", async () => {
      const { webhookEndpoints } = await open();
      await webhookEndpoints.add(buildEndpoint("own"), 2);
      const after = buildEndpoint("own", { enabled: false, url: "https://new.example" });
      const changes = { enabled: false, url: "https://new.example" };
      const before = buildEndpoint("own");
      expect(await webhookEndpoints.change("octo-org", "own", changes)).toEqual({ before, after });
      expect(await webhookEndpoints.find(null, "own")).toEqual(after);
    });
  });

  describe("webhook deliveries", () => {
    const open = databaseForEachTest(create);

    it("are created once for each endpoint that wants the event", async () => {
      const store = await open();
      const { webhookEndpoints } = store;
      await webhookEndpoints.add(buildEndpoint("all"), 9);
      await webhookEndpoints.add(buildEndpoint("one", { events: ["pull_request.merged"] }), 9);
      await webhookEndpoints.add(buildEndpoint("kind", { events: ["pull_request.*"] }), 9);
      await webhookEndpoints.add(buildEndpoint("off", { enabled: false }), 9);
      await webhookEndpoints.add(buildEndpoint("foreign", { organisation: "elsewhere" }), 9);
      const messages = [
        buildMessage("m1"),
        buildMessage("m2", { type: "pull_request.merged" }),
        buildMessage("m3", { type: "pull_request_batch.failed", stream: "batch" }),
      ];
      await announce(store, ...messages);
      await announce(store, ...messages);
      expect(await states(store, "all")).toEqual(["m3 waiting 0", "m2 waiting 0", "m1 waiting 0"]);
      expect(await states(store, "one")).toEqual(["m2 waiting 0"]);
      expect(await states(store, "kind")).toEqual(["m2 waiting 0", "m1 waiting 0"]);
      expect(await states(store, "off")).toEqual([]);
      expect(await states(store, "foreign")).toEqual([]);
    });

    it("are written atomically with the commit that they report, and are not computed without endpoints", async () => {
      const store = await open();
      let asked = 0;
      const announces = { organisation: "Octo-Org", messages: () => [buildMessage(`m${++asked}`)] };
      await store.queues.commit({ ...buildCreation(), announces });
      expect(asked).toBe(0);
      await store.webhookEndpoints.add(buildEndpoint("all"), 9);
      await store.queues.commit(buildCommit({ events: buildEvents(2, 2), announces }));
      expect(await states(store, "all")).toEqual(["m1 waiting 0"]);
      const late = buildCommit({ events: buildEvents(2, 2), announces });
      expect(await store.queues.commit(late)).toBe("conflict");
      expect(await states(store, "all")).toEqual(["m1 waiting 0"]);
    });

    it("are claimed one at a time in each stream, and independently across streams and endpoints", async () => {
      const store = await open();
      await store.webhookEndpoints.add(buildEndpoint("a"), 9);
      await store.webhookEndpoints.add(buildEndpoint("b"), 9);
      await announce(store, buildMessage("m1"), buildMessage("m2"), buildMessage("n1", { stream: "pr/8" }));
      expect(await claim(store, 999)).toEqual([]);
      expect(await claim(store, 1_000)).toEqual(["a m1", "a n1", "b m1", "b n1"]);
      expect(await claim(store, 1_000)).toEqual([]);
      await store.webhookDeliveries.conclude(held(store, "a", "m1"), ok, null);
      await store.webhookDeliveries.conclude(held(store, "b", "m1"), refused, 9_000);
      expect(await claim(store, 1_100)).toEqual(["a m2"]);
      expect(await store.webhookDeliveries.nextDue()).toEqual(
        new Map([
          ["a", 1_500],
          ["b", 1_500],
        ]),
      );
    });

    it("are claimed again when their lease expires, but not while it is renewed", async () => {
      const store = await open();
      await store.webhookEndpoints.add(buildEndpoint("a"), 9);
      await announce(store, buildMessage("m1"));
      await claim(store, 1_000);
      await store.webhookDeliveries.renew(held(store, "a", "m1"), 3_000);
      expect(await claim(store, 2_999)).toEqual([]);
      expect(await claim(store, 3_000)).toEqual(["a m1"]);
    });

    it("of one endpoint do not crowd out those of another", async () => {
      const store = await open();
      await store.webhookEndpoints.add(buildEndpoint("a"), 9);
      await store.webhookEndpoints.add(buildEndpoint("b"), 9);
      const many = Array.from({ length: 20 }, (_, n) => buildMessage(`m${n}`, { stream: `pr/${n}` }));
      await announce(store, ...many);
      expect(await claim(store, 1_000, 2)).toEqual(["a m0", "a m1", "b m0", "b m1"]);
    });

    it("wait while their endpoint is disabled, and are deleted with it", async () => {
      const store = await open();
      const { webhookEndpoints, webhookDeliveries } = store;
      await webhookEndpoints.add(buildEndpoint("a"), 9);
      await announce(store, buildMessage("m1"));
      await webhookEndpoints.change("octo-org", "a", { enabled: false });
      expect(await claim(store, 1_000)).toEqual([]);
      await webhookEndpoints.change("octo-org", "a", { enabled: true });
      await webhookEndpoints.remove("octo-org", "a", 1);
      expect(await claim(store, 1_000)).toEqual([]);
      expect(await webhookDeliveries.forget(0, 0, 10)).toBe(1);
      expect(await states(store, "a")).toEqual([]);
    });

    it("are parked when there are no more attempts, and the next one of the stream follows", async () => {
      const store = await open();
      const { webhookEndpoints, webhookDeliveries } = store;
      await webhookEndpoints.add(buildEndpoint("a"), 9);
      await announce(store, buildMessage("m1"), buildMessage("m2"));
      await claim(store, 1_000);
      await webhookDeliveries.conclude(held(store, "a", "m1"), refused, 1_500);
      await claim(store, 1_500);
      const again = held(store, "a", "m1");
      await webhookDeliveries.conclude(again, { ...refused, error: "x".repeat(2_000) }, null);
      await webhookDeliveries.conclude(again, ok, null);
      expect(await states(store, "a")).toEqual(["m2 waiting 0", "m1 parked 2"]);
      const [parked] = await webhookDeliveries.list("a", { state: "parked", before: null, limit: 9 });
      expect(parked).toMatchObject({ lastStatus: 500, endedAt: 2_000, giveUpAt: 1_000 + dayMs });
      expect(parked?.lastError).toHaveLength(500);
      expect(await claim(store, 2_000)).toEqual(["a m2"]);
      const counts = { delivered: 0, failed: 2, parked: 1, waiting: 1, parkedNow: 1, waitingSince: 1_000 };
      expect(await webhookEndpoints.counts("octo-org")).toEqual([{ id: "a", ...counts }]);
      expect(await webhookEndpoints.counts("elsewhere")).toEqual([]);
    });

    it("can be resent, after the waiting ones of their stream", async () => {
      const store = await open();
      const { webhookEndpoints, webhookDeliveries } = store;
      await webhookEndpoints.add(buildEndpoint("a"), 9);
      await announce(store, buildMessage("m1"), buildMessage("m2"));
      await claim(store, 1_000);
      await webhookDeliveries.conclude(held(store, "a", "m1"), refused, null);
      const again = await webhookDeliveries.resend("a", "m1", 5_000, 9_000);
      expect(again).toMatchObject({ messageId: "m1", state: "waiting", attempts: 0, giveUpAt: 9_000 });
      expect(await claim(store, 5_000)).toEqual(["a m2"]);
      await webhookDeliveries.conclude(held(store, "a", "m2"), ok, null);
      expect(await claim(store, 5_000)).toEqual(["a m1"]);
      expect(await webhookDeliveries.resend("a", "nothing", 5_000, 9_000)).toBeNull();
      expect(await webhookDeliveries.resend("b", "m1", 5_000, 9_000)).toBeNull();
    });

    it("are listed page by page, the newest first", async () => {
      const store = await open();
      await store.webhookEndpoints.add(buildEndpoint("a"), 9);
      await announce(store, ...["m1", "m2", "m3"].map((id) => buildMessage(id)));
      const page = (before: number | null) =>
        store.webhookDeliveries.list("a", { state: "waiting", before, limit: 2 });
      const first = await page(null);
      expect(first.map(({ messageId }) => messageId)).toEqual(["m3", "m2"]);
      expect((await page(first.at(-1)?.id ?? 0)).map(({ messageId }) => messageId)).toEqual(["m1"]);
    });

    it("are forgotten in batches some time after their end", async () => {
      const store = await open();
      const { webhookEndpoints, webhookDeliveries } = store;
      await webhookEndpoints.add(buildEndpoint("a"), 9);
      const ids = ["m1", "m2", "m3", "m4", "m5"];
      await announce(store, ...ids.map((id) => buildMessage(id, { stream: id })));
      await claim(store, 1_000);
      for (const id of ids.slice(0, 3)) await webhookDeliveries.conclude(held(store, "a", id), ok, null);
      await webhookDeliveries.conclude(held(store, "a", "m4"), refused, null);
      expect(await webhookDeliveries.forget(2_000, 2_000, 10)).toBe(0);
      expect(await webhookDeliveries.forget(2_001, 2_000, 2)).toBe(2);
      expect(await webhookDeliveries.forget(2_001, 2_000, 2)).toBe(1);
      expect(await states(store, "a")).toEqual(["m5 waiting 0", "m4 parked 1"]);
      expect(await webhookDeliveries.forget(2_001, 2_001, 2)).toBe(1);
    });
  });
}
