import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { PausedQueue } from "./paused-queue.ts";

let queue: PausedQueue;

beforeAll(async () => {
  queue = await PausedQueue.start();
});
afterAll(() => queue.api.close());

const under = (key: string) => ({ "idempotency-key": key });

test("a command that is repeated with its idempotency key gets the same response and runs only once", async () => {
  const { number } = await queue.open();
  const key = randomUUID();
  const first = await queue.submit({ number }, {}, under(key));
  expect(first.status).toBe(200);
  await queue.call("cancelPullRequest", { number });
  const again = await queue.submit({ number }, {}, under(key));
  expect(again).toMatchObject({ status: 200, body: first.body });
  expect((await queue.call("getSubmittedPullRequest", { number })).body.state).toBe("cancelled");
  queue.api.elapse(25 * 60 * 60_000);
  expect((await queue.submit({ number }, {}, under(key))).body.state).toBe("pending");
});

test("an idempotency key applies to one command with one body", async () => {
  const { number } = await queue.open();
  const key = randomUUID();
  await queue.submit({ number }, {}, under(key));
  for (const other of [
    await queue.submit({ number }, { noBatch: true }, under(key)),
    await queue.call("cancelPullRequest", { number }, {}, under(key)),
  ]) {
    const { status, body, headers } = other;
    expect({ status, code: body.code, retryAfter: headers.get("retry-after") }).toEqual({
      status: 409,
      code: "IDEMPOTENCY_CONFLICT",
      // Another try would be refused, too.
      retryAfter: null,
    });
  }
  expect((await queue.call("getSubmittedPullRequest", { number })).body).toMatchObject({
    state: "pending",
    noBatch: false,
  });
});

test("one of many concurrent commands with the same idempotency key runs", async () => {
  const { number } = await queue.open();
  const headers = under(randomUUID());
  const answers = await Promise.all(Array.from({ length: 10 }, () => queue.submit({ number }, {}, headers)));
  const served = answers.filter(({ status }) => status === 200);
  expect(served.length).toBeGreaterThanOrEqual(1);
  for (const { status, body, headers } of answers) {
    if (status === 200) expect(body).toEqual(served[0]?.body);
    else
      expect([status, body.code, headers.get("retry-after")]).toEqual([409, "IDEMPOTENCY_IN_PROGRESS", "1"]);
  }
});

test("a command that was rejected can be retried with its idempotency key", async () => {
  const headers = under(randomUUID());
  const branch = "comes-later";
  const body = { pr: { number: 4711 }, targetBranch: branch };
  const refused = await queue.api.post("submitPullRequest", { ...queue.api.queue, ...body }, headers);
  expect(refused.status).toBe(404);
  const again = await queue.api.post("submitPullRequest", { ...queue.api.queue, ...body }, headers);
  expect(again.body.code).toBe("QUEUE_NOT_FOUND");
});

test.each(["", "x".repeat(256), "white space"])("the idempotency key %p is rejected", async (key) => {
  const { number } = await queue.open();
  expect((await queue.submit({ number }, {}, under(key))).status).toBe(400);
});

test("a read with an idempotency key always returns the current state", async () => {
  const { number } = await queue.open();
  const headers = under(randomUUID());
  await queue.submit({ number });
  const before = await queue.call("getSubmittedPullRequest", { number }, {}, headers);
  await queue.call("cancelPullRequest", { number });
  const after = await queue.call("getSubmittedPullRequest", { number }, {}, headers);
  expect([before.body.state, after.body.state]).toEqual(["pending", "cancelled"]);
});
