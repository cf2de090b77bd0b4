import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { botToken } from "./api-harness.ts";
import { PausedQueue } from "./paused-queue.ts";

let queue: PausedQueue;

beforeAll(async () => {
  queue = await PausedQueue.start();
});
afterAll(() => queue.api.close());

describe("a priority", () => {
  test.each([
    ["high", 10, "high"],
    ["LOW", 200, "low"],
    [7, 7, "7"],
    ["7", 7, "7"],
    [4_294_967_295, 4_294_967_295, "4294967295"],
    [null, 100, "medium"],
  ])("of %p is %d, named %s", async (priority, priorityValue, priorityName) => {
    const { number } = await queue.open();
    const { body } = await queue.submit({ number }, { priority });
    expect(body).toMatchObject({
      priorityValue,
      priorityName,
      usedDefaultPriorityName: priority === null ? "medium" : "",
      skipTheLine: false,
    });
  });

  test.each(["soon", "", -1, 1.5, 4_294_967_296, true, [], {}])("of %p is rejected", async (priority) => {
    const { status, body } = await queue.submit({ number: 1 }, { priority });
    expect({ status, errors: body.errors }).toMatchObject({ status: 400, errors: [{ path: "priority" }] });
  });

  test("is replaced when a queued pull request is submitted again, and stays when none is given", async () => {
    const { number } = await queue.open();
    await queue.submit({ number }, { priority: 5, noBatch: true });
    expect((await queue.submit({ number }, { priority: 6 })).body).toMatchObject({
      priorityValue: 6,
      noBatch: true,
    });
    expect((await queue.submit({ number })).body).toMatchObject({ priorityValue: 6, noBatch: true });
  });
});

describe("the submitter", () => {
  const onBehalf = { actor: { login: "bob", permission: "write" }, via: "comment" };

  test("is the token, even if the body names someone else", async () => {
    const { number } = await queue.open();
    await queue.submit({ number }, onBehalf);
    expect(await admission(number)).toEqual({ by: { kind: "token", name: "ci" }, via: "api" });
  });

  test("may be labelled as a workflow", async () => {
    const { number } = await queue.open();
    await queue.submit({ number }, { via: "ACTION" });
    expect(await admission(number)).toEqual({ by: { kind: "token", name: "ci" }, via: "action" });
  });

  test("is the person that the bot names, if it also names the current head", async () => {
    const { number, sha } = await queue.open();
    const unproven = await queue.submit({ number }, onBehalf, { "x-api-token": botToken });
    expect(unproven).toMatchObject({ status: 409, body: { code: "HEAD_NOT_PROVEN" } });
    const { body } = await queue.submit({ number, sha }, onBehalf, { "x-api-token": botToken });
    expect(body.reason).toMatch(/SUBMITTED_BY_USER|READY/);
    expect(await admission(number)).toEqual({
      by: { kind: "user", name: "bob", permission: "write" },
      via: "comment",
    });
    const cancelled = await queue.call(
      "cancelPullRequest",
      { number },
      { ...onBehalf, via: "label" },
      { "x-api-token": botToken },
    );
    expect(cancelled.body.reason).toBe("LABEL_REMOVED");
  });

  test("is the bot itself if it names nobody", async () => {
    const { number } = await queue.open();
    await queue.submit({ number }, {}, { "x-api-token": botToken });
    expect(await admission(number)).toEqual({ by: { kind: "token", name: "trainyard" }, via: "api" });
  });

  test("is checked against the seen head only for the bot", async () => {
    const { number } = await queue.open();
    const seenHead = "b".repeat(40);
    expect((await queue.submit({ number }, { seenHead }, { "x-api-token": botToken })).body.code).toBe(
      "HEAD_MISMATCH",
    );
    expect((await queue.submit({ number }, { seenHead })).status).toBe(200);
  });
});

async function admission(pr: number) {
  const view = await queue.api.service.queues.readEntry({ repo: queue.api.queue.repo, branch: "main", pr });
  if (!view.ok) throw new Error(view.refusal.code);
  return { by: view.value.entry.admittedBy, via: view.value.entry.admittedVia };
}
