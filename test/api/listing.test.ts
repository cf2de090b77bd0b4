import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { PausedQueue } from "./paused-queue.ts";

let queue: PausedQueue;
const numbers: number[] = [];
const times: string[] = [];

beforeAll(async () => {
  queue = await PausedQueue.start();
  for (let index = 0; index < 5; index++) {
    const { number } = await queue.open();
    queue.api.elapse(1_000);
    await queue.submit({ number });
    numbers.push(number);
  }
  await queue.call("cancelPullRequest", { number: numbers[1] });
  for (const { submittedAt } of await list({})) times.unshift(String(submittedAt));
});
afterAll(() => queue.api.close());

const ask = (more: object) => queue.api.post("listPullRequests", { ...queue.api.queue, ...more });
const list = async (more: object) => (await ask(more)).body.pullRequests as Record<string, unknown>[];
const numbersOf = (items: readonly Record<string, unknown>[]) => items.map(({ prNumber }) => prNumber);
const newestFirst = () => numbers.toReversed();

describe("listPullRequests", () => {
  test("lists current and ended pull requests, the most recently submitted first, each with every field", async () => {
    const { status, body } = await ask({});
    expect(status).toBe(200);
    const items = body.pullRequests as Record<string, unknown>[];
    expect(numbersOf(items)).toEqual(newestFirst());
    expect(body.nextCursor).toBeNull();
    expect(Object.keys(items[0] ?? {}).sort()).toEqual(
      [
        ...["id", "isCurrentlySubmittedToQueue", "merged", "noBatch", "prAuthor", "prBaseBranch", "prNumber"],
        ...["prSha", "prTitle", "priorityName", "priorityValue", "reason", "skipTheLine", "state"],
        ...["stateChangedAt", "submittedAt", "usedDefaultPriorityName"],
      ].sort(),
    );
  });

  test("filters by state, regardless of case", async () => {
    expect(numbersOf(await list({ state: "cancelled" }))).toEqual([numbers[1]]);
    expect(numbersOf(await list({ state: "CANCELLED" }))).toEqual([numbers[1]]);
    expect(await list({ state: "cancelled" })).toMatchObject([
      { state: "cancelled", isCurrentlySubmittedToQueue: false, reason: "CANCELLED_BY_API" },
    ]);
    expect(await list({ state: "merged" })).toEqual([]);
  });

  test("filters by submission time, from `since` inclusive to `until` exclusive", async () => {
    expect(numbersOf(await list({ since: times[1], until: times[3] }))).toEqual([numbers[2], numbers[1]]);
    expect(await list({ since: "2999-01-01T00:00:00Z" })).toEqual([]);
    expect(await list({ until: "1999-01-01T00:00:00+02:00" })).toEqual([]);
  });

  test.each([1, 2, 4, 5, 6])("returns each pull request once with %i per page", async (take) => {
    const seen: unknown[] = [];
    let cursor: unknown;
    let pages = 0;
    do {
      const { body } = await ask({ take, ...(cursor ? { cursor } : {}) });
      seen.push(...numbersOf(body.pullRequests as Record<string, unknown>[]));
      cursor = body.nextCursor;
      pages += 1;
    } while (cursor !== null);
    expect(seen).toEqual(newestFirst());
    expect(pages).toBe(Math.ceil(5 / take));
  });

  test.each([
    ["state", "somewhere"],
    ["since", "yesterday"],
    ["until", 5],
    ["take", 0],
    ["take", 101],
    ["take", 1.5],
    ["cursor", "x"],
    ["cursor", Buffer.from("[1]").toString("base64url")],
    ["cursor", Buffer.from('["a",1]').toString("base64url")],
  ])("rejects %s %p", async (field, value) => {
    const { status, body } = await ask({ [field]: value });
    expect({ status, errors: body.errors }).toMatchObject({ status: 400, errors: [{ path: field }] });
  });
});

describe("getSubmittedPullRequests", () => {
  const read = (prs: unknown) => queue.api.post("getSubmittedPullRequests", { ...queue.api.queue, prs });

  test("returns the same as getSubmittedPullRequest for each, and names those that were never submitted", async () => {
    const [first, second] = numbers;
    const { status, body } = await read([
      { number: second },
      { number: 4711 },
      { number: String(first) },
      { number: second },
    ]);
    expect(status).toBe(200);
    expect(body.notFound).toEqual([4711]);
    const one = await queue.call("getSubmittedPullRequest", { number: first });
    const two = await queue.call("getSubmittedPullRequest", { number: second });
    expect(body.pullRequests).toEqual([two.body, one.body]);
  });

  test.each([
    ["an empty list", []],
    ["51 pull requests", Array.from({ length: 51 }, (_, index) => ({ number: index + 1 }))],
    ["entries that are not objects", [5]],
    ["a missing list", undefined],
  ])("rejects %s", async (_what, prs) => {
    expect((await read(prs)).status).toBe(400);
  });

  test("accepts 50 pull requests", async () => {
    const { body } = await read(Array.from({ length: 50 }, (_, index) => ({ number: index + 1_000 })));
    expect(body).toMatchObject({ pullRequests: [] });
    expect(body.notFound).toHaveLength(50);
  });
});

describe("explainPullRequest", () => {
  const explain = (pr: object) => queue.call("explainPullRequest", pr);

  test("explains why a pull request waits", async () => {
    const { status, body } = await explain({ number: numbers[0] });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      prNumber: numbers[0],
      state: "pending",
      position: 1,
      reason: "READY",
      text: expect.stringContaining("ready"),
      why: [expect.objectContaining({ code: "QUEUE_NOT_RUNNING", text: expect.stringContaining("paused") })],
    });
  });

  test("explains why a pull request ended", async () => {
    const { body } = await explain({ number: numbers[1] });
    expect(body).toMatchObject({ state: "cancelled", position: null, reason: "CANCELLED_BY_API" });
  });

  test("responds with 404 for a pull request that was never submitted", async () => {
    const { status, body } = await explain({ number: 4711 });
    expect({ status, code: body.code }).toEqual({ status: 404, code: "NEVER_SUBMITTED" });
  });
});
