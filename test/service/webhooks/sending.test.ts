import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { freePort } from "../../../src/cli/free-port.ts";
import { eventually } from "../../scenarios/eventually.ts";
import { Receiver, verified } from "./receiver.ts";
import { SendingStage } from "./sending-stage.ts";

const hourMs = 60 * 60_000;

let stage: SendingStage;
let receiver: Receiver;

beforeEach(async () => {
  stage = await SendingStage.start();
  receiver = await Receiver.start();
});
afterEach(async () => {
  // The receiver has to close first, because the stage waits for requests under way.
  await receiver.close();
  await stage.close();
});

/** Waits until the receiver has received `count` requests. */
function received(count: number, by = receiver) {
  return eventually(async () => (by.received.length >= count ? by.received : null), `${count} requests`);
}

describe("a webhook message", () => {
  test("is verified by the public package of Standard Webhooks, but not with another secret", async () => {
    const { id, secret } = await stage.create(receiver.url);
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    await stage.announce("a-1");
    await stage.until(id, ({ state }) => state === "delivered");
    const [one] = receiver.received;
    if (!one) throw new Error("nothing came");
    expect(verified(secret, one)).toEqual({ id: "a-1", text: "höchste Zeit 🚂" });
    expect(one.headers).toMatchObject({ "content-type": "application/json", "webhook-id": "a-1" });
    const other = await stage.create(receiver.url);
    expect(() => verified(other.secret, one)).toThrow("No matching signature found");
    expect(() => verified(secret, { ...one, body: `${one.body} ` })).toThrow("No matching signature found");
  });

  test("is verified by the code in the documentation, unless it was changed or is old", async () => {
    const { id, secret } = await stage.create(receiver.url);
    await stage.announce("a-1");
    await stage.until(id, ({ state }) => state === "delivered");
    const [one] = receiver.received;
    if (!one) throw new Error("nothing came");
    const text = readFileSync(new URL("../../../docs/reference/webhooks.md", import.meta.url), "utf8");
    const file = join(stage.file.directory, "verify.mjs");
    writeFileSync(file, /```js\n([\s\S]+?)```/.exec(text)?.[1] ?? "");
    const { isFromTrainyard } = await import(pathToFileURL(file).href);
    expect(isFromTrainyard(secret, one.headers, one.body)).toBe(true);
    expect(isFromTrainyard(`whsec_${Buffer.alloc(32).toString("base64")}`, one.headers, one.body)).toBe(
      false,
    );
    expect(isFromTrainyard(secret, one.headers, `${one.body} `)).toBe(false);
    expect(isFromTrainyard(secret, { ...one.headers, "webhook-id": "a-2" }, one.body)).toBe(false);
    const old = String(Number(one.headers["webhook-timestamp"]) - 301);
    expect(isFromTrainyard(secret, { ...one.headers, "webhook-timestamp": old }, one.body)).toBe(false);
    expect(isFromTrainyard(secret, {}, one.body)).toBe(false);
  });

  test("is signed with both secrets for a day after a rotation, and then only with the new one", async () => {
    const { id, secret } = await stage.create(receiver.url);
    const rotated = await stage.life.webhooks.update("acme", id, { rotateSecret: true });
    const fresh = rotated.ok ? (rotated.value.secret ?? "") : "";
    expect(fresh).not.toBe(secret);
    await stage.announce("a-1");
    const [first] = await received(1);
    if (!first) throw new Error("nothing came");
    expect([verified(secret, first), verified(fresh, first)]).toHaveLength(2);
    await stage.until(id, ({ state }) => state === "delivered");
    stage.elapse(24 * hourMs);
    await stage.announce("a-2");
    const [, second] = await received(2);
    expect(second?.headers["webhook-signature"]?.split(" ")).toHaveLength(1);
  });

  test("leaves no secret in the database, in the log, or in the list of webhooks", async () => {
    const { id, secret } = await stage.create(`${receiver.url}?key=in-the-address`);
    receiver.refuse(() => true);
    await stage.announce("a-1");
    await stage.until(id, ({ attempts }) => attempts === 1);
    const files = [stage.file.path, `${stage.file.path}-wal`];
    const stored = files.map((path) => readFileSync(path, "latin1")).join("");
    expect(stored).toContain("in-the-address");
    const listed = JSON.stringify(await stage.life.webhooks.list("acme"));
    const logged = stage.logged.join("\n");
    expect(logged).toContain("was not accepted and will be sent again: it answered 500");
    for (const text of [stored, listed, logged]) {
      expect(text).not.toContain("whsec_");
      expect(text).not.toContain(secret.slice(6));
    }
    expect(logged).not.toContain("in-the-address");
  });
});

describe("the order of webhook messages", () => {
  test("is kept in each stream despite failures, while other streams continue", async () => {
    const { id } = await stage.create(receiver.url);
    let failures = 3;
    receiver.refuse((one) => one.id === "a-2" && failures-- > 0);
    await stage.announce("a-1", "a-2", "a-3", "b-1", "b-2");
    await stage.until(id, ({ messageId, state }) => messageId.startsWith("a-") || state === "delivered");
    expect(receiver.ids).not.toContain("a-3");
    for (let attempts = 1; attempts <= 3; attempts++) {
      const failed = await stage.until(id, (one) => one.messageId !== "a-2" || one.attempts === attempts);
      expect(failed.find(({ messageId }) => messageId === "a-3")).toMatchObject({ attempts: 0 });
      stage.elapse(60_000);
    }
    await stage.until(id, ({ state }) => state === "delivered");
    expect(receiver.ids.filter((name) => name.startsWith("a-"))).toEqual([
      "a-1",
      "a-2",
      "a-2",
      "a-2",
      "a-2",
      "a-3",
    ]);
    expect(receiver.ids.filter((name) => name.startsWith("b-"))).toEqual(["b-1", "b-2"]);
  });

  test("does not make other endpoints wait for one that never answers", async () => {
    const dead = await Receiver.start();
    dead.answer = () => {};
    stage.timeoutMs = 600_000;
    await stage.kill();
    await stage.live();
    const [hanging, alive] = [await stage.create(dead.url), await stage.create(receiver.url)];
    const ids = Array.from({ length: 40 }, (_, n) => `${n}-1`);
    await stage.announce(...ids);
    await stage.until(alive.id, ({ state }) => state === "delivered");
    expect(new Set(receiver.ids)).toEqual(new Set(ids));
    // Four requests at once, and no more while these hang.
    await received(4, dead);
    expect(dead.received).toHaveLength(4);
    expect((await stage.deliveries(hanging.id)).every(({ state }) => state === "waiting")).toBe(true);
    await dead.close();
  });
});

describe("the delivery of a webhook message", () => {
  test("is retried with growing delays for a day and then parked, and later messages continue", async () => {
    const { id } = await stage.create(receiver.url);
    receiver.refuse((one) => one.id === "a-1", 503);
    const begun = stage.now;
    await stage.announce("a-1", "a-2");
    const times: number[] = [];
    for (let attempts = 1; ; attempts++) {
      const [first] = (
        await stage.until(id, (one) => one.messageId !== "a-1" || one.attempts >= attempts)
      ).slice(-1);
      times.push(stage.now - begun);
      if (first?.state === "parked") break;
      stage.elapse(Math.max(0, (first?.notBefore ?? 0) - stage.now));
    }
    const waits = times.slice(1).map((time, index) => time - (times[index] ?? 0));
    expect(waits.slice(0, 4)).toEqual([3_750, 7_500, 15_000, 30_000]);
    expect(Math.max(...waits)).toBe(45 * 60_000);
    expect(times.at(-1)).toBe(24 * hourMs);
    const all = await stage.until(id, ({ state }) => state !== "waiting");
    expect(all.map(({ messageId, state }) => `${messageId} ${state}`)).toEqual([
      "a-2 delivered",
      "a-1 parked",
    ]);
    expect(all[1]).toMatchObject({ lastStatus: 503, lastError: "it answered 503", attempts: times.length });
    expect(stage.logged.join("\n")).toContain("gave up on a webhook, which can be sent again by hand");

    receiver.refuse(() => false);
    expect(await stage.life.webhooks.resend("acme", id, "a-1")).toMatchObject({ ok: true });
    await stage.until(id, ({ state }) => state === "delivered");
    expect(receiver.ids.at(-1)).toBe("a-1");
  });

  test("is not retried before the time that the endpoint asked for", async () => {
    const { id } = await stage.create(receiver.url);
    receiver.answer = (_one, response) => void response.writeHead(429, { "retry-after": "600" }).end();
    await stage.announce("a-1");
    const [first] = await stage.until(id, ({ attempts }) => attempts === 1);
    expect((first?.notBefore ?? 0) - stage.now).toBe(600_000);
  });

  test("fails when it is answered with a redirect, which is not followed", async () => {
    const elsewhere = await Receiver.start();
    const { id } = await stage.create(receiver.url);
    receiver.answer = (_one, response) => void response.writeHead(307, { location: elsewhere.url }).end();
    await stage.announce("a-1");
    const [first] = await stage.until(id, ({ attempts }) => attempts === 1);
    expect(first).toMatchObject({ state: "waiting", lastStatus: 307 });
    expect(elsewhere.received).toEqual([]);
    await elsewhere.close();
  });

  test("succeeds by the status of the answer, however long its body goes on", async () => {
    const { id } = await stage.create(receiver.url);
    receiver.answer = (_one, response) => {
      response.writeHead(200);
      const talk = setInterval(() => response.write("x".repeat(10_000)), 1);
      response.on("close", () => clearInterval(talk));
    };
    await stage.announce("a-1");
    await stage.until(id, ({ state }) => state === "delivered");
  });

  test("fails when the endpoint cannot be reached", async () => {
    const { id } = await stage.create(`http://127.0.0.1:${await freePort()}/hook`);
    await stage.announce("a-1");
    const [failed] = await stage.until(id, ({ attempts }) => attempts === 1);
    expect(failed).toMatchObject({ lastStatus: null, lastError: "it could not be reached: ECONNREFUSED" });
  });

  test("fails when the endpoint does not answer in time", async () => {
    stage.timeoutMs = 50;
    await stage.kill();
    await stage.live();
    receiver.answer = () => {};
    const { id } = await stage.create(receiver.url);
    await stage.announce("a-1");
    const [failed] = await stage.until(id, ({ attempts }) => attempts === 1);
    expect(failed?.lastError).toBe("it did not answer within 0.05 seconds");
  });
});

test("a kill of the service loses no webhook messages under way, and keeps their order", async () => {
  const { id } = await stage.create(receiver.url);
  receiver.answer = () => {};
  await stage.announce("a-1", "a-2", "b-1");
  await received(2);
  await stage.kill();
  receiver.refuse(() => false);
  await stage.live();
  stage.elapse(60_000);
  await stage.until(id, ({ state }) => state === "delivered");
  expect(receiver.ids.slice(2).filter((one) => one.startsWith("a-"))).toEqual(["a-1", "a-2"]);
  expect(new Set(receiver.ids)).toEqual(new Set(["a-1", "a-2", "b-1"]));
});

test("a webhook message is not sent unsigned when its encryption key is missing", async () => {
  const { id } = await stage.create(receiver.url);
  await stage.life.store.webhookEndpoints.change("acme", id, { secret: "v1.00000000.AAAA" });
  await stage.announce("a-1");
  const [first] = await stage.until(id, ({ attempts }) => attempts === 1);
  expect(first?.lastError).toContain("set TRAINYARD_ENCRYPTION_KEY");
  expect(receiver.received).toEqual([]);
});
