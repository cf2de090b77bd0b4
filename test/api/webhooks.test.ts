import { randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { eventually } from "../scenarios/eventually.ts";
import { Receiver, verified } from "../service/webhooks/receiver.ts";
import { type Api, startApi } from "./api-harness.ts";
import { PausedQueue } from "./paused-queue.ts";

interface Shown {
  id: string;
  secret: string | null;
}

describe("webhooks", () => {
  let queue: PausedQueue;
  let api: Api;
  let receiver: Receiver;

  beforeAll(async () => {
    queue = await PausedQueue.start();
    api = queue.api;
    await api.service.start();
  });
  afterAll(() => api.close());
  beforeEach(async () => {
    receiver = await Receiver.start();
  });
  afterEach(async () => {
    await receiver.close();
    for (const { id } of await listed()) await api.post("deleteWebhook", { id });
  });

  async function create(body: object, headers?: Record<string, string>): Promise<Shown> {
    const { status, body: answer } = await api.post("createWebhook", body, headers);
    expect({ status, answer }).toMatchObject({ status: 200 });
    return answer as unknown as Shown;
  }

  async function listed(headers?: Record<string, string>): Promise<Shown[]> {
    return (await api.post("listWebhooks", {}, headers)).body.webhooks as Shown[];
  }

  async function deliveries(id: string, more: object = {}): Promise<Record<string, unknown>[]> {
    const answer = await api.post("listWebhookDeliveries", { id, ...more });
    return answer.body.deliveries as Record<string, unknown>[];
  }

  function received(count: number) {
    return eventually(
      async () => (receiver.received.length >= count ? receiver.received : null),
      `${count} webhooks`,
    );
  }

  test("report the events of a pull request in order and signed", async () => {
    const { id, secret } = await create({ url: receiver.url, description: "chat" });
    const pull = await queue.open();
    await queue.submit({ number: pull.number });
    await queue.call("cancelPullRequest", { number: pull.number });
    const told = (await received(3)).map((one) => verified(secret ?? "", one));
    expect(told.map(({ type, pr_number }) => `${type} ${pr_number}`)).toEqual([
      `pull_request.submitted ${pull.number}`,
      `pull_request.queued ${pull.number}`,
      `pull_request.canceled ${pull.number}`,
    ]);
    expect(told[2]).toMatchObject({
      status: "canceled",
      author: "alice",
      repository: { owner: "acme", name: "widgets" },
      target_branch: "main",
      cancellation_reason: "CANCELLED_BY_API",
      reason_text: "cancelled through the API by ci",
    });
    const list = await eventually(async () => {
      const all = await deliveries(id);
      return all.every(({ state }) => state === "delivered") ? all : null;
    }, "all of them to be delivered");
    expect(list.map(({ type, attempts, lastStatus }) => ({ type, attempts, lastStatus }))).toEqual(
      ["canceled", "queued", "submitted"].map((action) => ({
        type: `pull_request.${action}`,
        attempts: 1,
        lastStatus: 200,
      })),
    );
  });

  test("report only the selected events, and nothing while they are disabled", async () => {
    const { id } = await create({ url: receiver.url, events: ["pull_request.canceled"] });
    const pull = await queue.open();
    await queue.submit({ number: pull.number });
    await queue.call("cancelPullRequest", { number: pull.number });
    await received(1);
    expect((await api.post("updateWebhook", { id, enabled: false })).body).toMatchObject({ enabled: false });
    await queue.submit({ number: pull.number });
    await queue.call("cancelPullRequest", { number: pull.number });
    expect((await deliveries(id)).map(({ type }) => type)).toEqual(["pull_request.canceled"]);
    expect(receiver.received).toHaveLength(1);
  });

  test("that cannot be delivered are listed with the reason page by page, and can be resent", async () => {
    receiver.refuse(() => true, 500);
    const { id } = await create({ url: receiver.url, events: ["pull_request.submitted"] });
    for (let count = 0; count < 3; count++) await queue.submit({ number: (await queue.open()).number });
    await received(3);
    const waiting = await eventually(async () => {
      const all = await deliveries(id, { state: "waiting" });
      return all.length === 3 && all.every(({ attempts }) => Number(attempts) > 0) ? all : null;
    }, "three failures");
    expect(waiting[0]).toMatchObject({ lastStatus: 500, lastError: "it answered 500", endedAt: null });

    const first = await api.post("listWebhookDeliveries", { id, take: 2 });
    const cursor = first.body.nextCursor;
    const second = await api.post("listWebhookDeliveries", { id, take: 2, cursor });
    const idsOf = (list: unknown) => (list as { readonly id: unknown }[]).map(({ id: one }) => one);
    expect(idsOf(first.body.deliveries)).toEqual(idsOf(waiting.slice(0, 2)));
    expect(idsOf(second.body.deliveries)).toEqual(idsOf(waiting.slice(2)));
    expect(second.body.nextCursor).toBeNull();

    const deliveryId = String(waiting[1]?.id);
    // The others are sent again by themselves.
    receiver.refuse(({ id: sent }) => sent !== deliveryId);
    const again = await api.post("resendWebhookDelivery", { id, deliveryId });
    expect(again.body).toMatchObject({ id: deliveryId, state: "waiting", attempts: 0 });
    const delivered = await eventually(async () => {
      const all = await deliveries(id, { state: "delivered" });
      return all.length > 0 ? all : null;
    }, "its delivery");
    expect(idsOf(delivered)).toEqual([deliveryId]);
    expect(receiver.ids.filter((sent) => sent === deliveryId).length).toBeGreaterThan(1);
  });

  test("show their secret once, also under an idempotency key, and a new one after a rotation", async () => {
    const key = { "idempotency-key": randomUUID() };
    const created = await create({ url: receiver.url }, key);
    const again = await create({ url: receiver.url }, key);
    expect(again).toEqual({ ...created, secret: null });
    const all = await listed();
    expect(all.map(({ id }) => id)).toEqual([created.id]);
    expect(all[0]).not.toHaveProperty("secret");
    const { id } = created;
    expect((await api.post("updateWebhook", { id, description: "new" })).body).toMatchObject({
      secret: null,
    });
    const rotated = await api.post("updateWebhook", { id, rotateSecret: true });
    expect(rotated.body.secret).toEqual(expect.stringMatching(/^whsec_/));
    expect(rotated.body.secret).not.toBe(created.secret);
    expect(rotated.body.previousSecretUntil).toEqual(expect.any(String));
    expect(api.logged.join("")).not.toContain("whsec_");
  });

  test("have audit log entries for their creation, changes and deletion, without the secret", async () => {
    const token = await api.createToken(["admin"]);
    const headers = { "x-api-token": token };
    const key = { "idempotency-key": randomUUID() };
    const { id, secret } = await create({ url: receiver.url }, { ...headers, ...key });
    await create({ url: receiver.url }, { ...headers, ...key });
    await api.post("updateWebhook", { id, rotateSecret: true }, headers);
    await api.post("listWebhooks", {}, headers);
    await api.post("deleteWebhook", { id }, headers);
    await api.post("updateWebhook", { id }, headers);
    const { body } = await api.post("listAuditLog", { actor: token.split("_")[1] });
    const entries = body.entries as Record<string, unknown>[];
    expect(entries.map(({ action, outcome, code }) => [action, outcome, code]).toReversed()).toEqual([
      ["createWebhook", "done", null],
      ["updateWebhook", "done", null],
      ["deleteWebhook", "done", null],
      ["updateWebhook", "refused", "WEBHOOK_NOT_FOUND"],
    ]);
    expect(JSON.stringify(entries)).not.toContain(String(secret).slice(6));
  });

  test("are visible only to their organisation", async () => {
    const { id } = await create({ url: receiver.url });
    const stranger = { "x-api-token": await api.createToken(["admin"], { organisation: "other" }) };
    const asStranger = (endpoint: string, body: object) => api.post(endpoint, body, stranger);
    expect(await listed(stranger)).toEqual([]);
    expect(await asStranger("updateWebhook", { id, enabled: false })).toMatchObject({ status: 404 });
    expect(await asStranger("listWebhookDeliveries", { id })).toMatchObject({ status: 404 });
    expect(await asStranger("resendWebhookDelivery", { id, deliveryId: "x" })).toMatchObject({ status: 404 });
    expect((await asStranger("deleteWebhook", { id })).body).toEqual({ deleted: false });
    const theirs = (await asStranger("createWebhook", { url: receiver.url })).body.id;
    const pull = await queue.open();
    await queue.submit({ number: pull.number });
    await received(2);
    const told = await asStranger("listWebhookDeliveries", { id: theirs });
    expect(told.body.deliveries).toEqual([]);
    await asStranger("deleteWebhook", { id: theirs });
  });

  test("require the scope admin", async () => {
    const token = await api.createToken(["read", "submit", "queue:admin"]);
    for (const [endpoint, body] of [
      ["createWebhook", { url: receiver.url }],
      ["listWebhooks", {}],
    ] as const) {
      expect(await api.post(endpoint, body, { "x-api-token": token })).toMatchObject({ status: 403 });
    }
  });

  test("are removed with their waiting deliveries when they are deleted", async () => {
    receiver.refuse(() => true);
    const { id } = await create({ url: receiver.url });
    expect((await api.post("deleteWebhook", { id })).body).toEqual({ deleted: true });
    expect((await api.post("deleteWebhook", { id })).body).toEqual({ deleted: false });
    expect(await listed()).toEqual([]);
    expect(await api.post("updateWebhook", { id })).toMatchObject({
      status: 404,
      body: { code: "WEBHOOK_NOT_FOUND", detail: expect.stringContaining("listWebhooks") },
    });
  });

  test("are limited to twenty", async () => {
    for (let count = 0; count < 20; count++) await create({ url: receiver.url });
    const answer = await api.post("createWebhook", { url: receiver.url });
    expect(answer).toMatchObject({ status: 409, body: { code: "TOO_MANY_WEBHOOKS" } });
  });

  test.each([
    [{}, "url"],
    [{ url: "https://a.example", events: [] }, "events"],
    [{ url: "https://a.example", events: ["pull_request.exploded"] }, "events[0]"],
    [{ url: "https://a.example", description: "x".repeat(201) }, "description"],
  ])("with invalid settings, as in %j, are rejected", async (body, path) => {
    const answer = await api.post("createWebhook", body);
    expect(answer).toMatchObject({ status: 400, body: { errors: [{ path }] } });
  });
});

test("a webhook address that is not public is rejected, and the error names the setting that allows it", async () => {
  const api = await startApi({ webhooksAllowPrivate: false, webhookPorts: [443] });
  const { status, body } = await api.post("createWebhook", { url: "https://169.254.169.254/latest" });
  expect({ status, ...body }).toMatchObject({
    status: 400,
    code: "WEBHOOK_ADDRESS_REFUSED",
    detail: expect.stringContaining("TRAINYARD_WEBHOOK_ALLOW_PRIVATE=true"),
  });
  const created = await api.post("createWebhook", { url: "https://hooks.example" });
  const { id } = created.body;
  expect(await api.post("updateWebhook", { id, url: "http://10.0.0.1" })).toMatchObject({ status: 400 });
  await api.close();
});

test("without an encryption key, createWebhook is rejected, and the error names the setting", async () => {
  const api = await startApi({ encryptionKeys: [] });
  const answer = await api.post("createWebhook", { url: "https://hooks.example" });
  expect(answer).toMatchObject({
    status: 409,
    body: {
      code: "ENCRYPTION_KEY_MISSING",
      detail: expect.stringContaining("TRAINYARD_ENCRYPTION_KEY"),
    },
  });
  await api.close();
});
