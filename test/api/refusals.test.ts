import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { target } from "../sandbox/scene.ts";
import { type Answer, botToken } from "./api-harness.ts";
import { PausedQueue } from "./paused-queue.ts";

let queue: PausedQueue;

beforeAll(async () => {
  queue = await PausedQueue.start();
});
afterAll(() => queue.api.close());

describe("an error response", () => {
  test.each<[code: string, status: number, call: () => Promise<Answer>]>([
    ["QUEUE_EXISTS", 409, () => queue.api.post("createQueue", queue.api.queue)],
    [
      "QUEUE_NOT_FOUND",
      404,
      () => queue.api.post("getQueue", { ...queue.api.queue, targetBranch: "nowhere" }),
    ],
    ["HOST_NOT_SERVED", 404, () => queue.api.post("getQueue", inRepository({ host: "gitlab.example" }))],
    ["HOST_NOT_SERVED", 404, () => queue.api.post("createQueue", inRepository({ host: "gitlab.example" }))],
    ["APP_NOT_INSTALLED", 404, () => queue.api.post("createQueue", inRepository({ name: "no-such" }))],
    [
      "BRANCH_NOT_FOUND",
      404,
      () => queue.api.post("createQueue", { ...queue.api.queue, targetBranch: "no-such" }),
    ],
    ["PR_NOT_FOUND", 404, () => queue.submit({ number: 4711 })],
    ["NEVER_SUBMITTED", 404, () => queue.call("getSubmittedPullRequest", { number: 4711 })],
    ["NEVER_SUBMITTED", 404, () => queue.call("getSubmittedPullRequest", { branch: "no-such" })],
    ["NEVER_SUBMITTED", 404, () => queue.call("cancelPullRequest", { number: 4711 })],
    ["NEVER_SUBMITTED", 404, () => queue.call("restartTestsOnPullRequest", { number: 4711 })],
    ["PR_NOT_OPEN", 409, async () => queue.submit({ number: await closed() })],
    [
      "HEAD_MISMATCH",
      409,
      async () => queue.submit({ number: (await queue.open()).number, sha: "0".repeat(40) }),
    ],
    ["NOT_TESTING", 409, async () => queue.call("restartTestsOnPullRequest", { number: await queued() })],
  ])("%s has the status %d and says what to do", async (code, status, refusedCall) => {
    const answer = await refusedCall();
    expect(answer.status).toBe(status);
    expect(answer.headers.get("content-type")).toBe("application/problem+json; charset=utf-8");
    expect(answer.body).toEqual({
      type: `/problems/${code}`,
      title: expect.any(String),
      status,
      detail: expect.stringMatching(/.{20,}\.$/),
      instance: answer.headers.get("x-request-id"),
      code,
    });
  });

  test("COMMANDS_DISABLED is sent to the bot when the queue accepts no commands from comments", async () => {
    const update = (commandsEnabled: boolean) =>
      queue.api.post("updateQueue", { ...queue.api.queue, commandsEnabled });
    await update(false);
    const bot = { "x-api-token": botToken };
    const pull = await queue.open();
    for (const call of ["submitPullRequest", "cancelPullRequest"]) {
      const { status, body } = await queue.call(call, { number: pull.number }, { via: "comment" }, bot);
      expect({ status, code: body.code }).toEqual({ status: 409, code: "COMMANDS_DISABLED" });
      expect(body.detail).toBe(
        'Commands in comments are switched off for this queue by the API token "ci" (`commandsEnabled`); use the label or the API.',
      );
    }
    await update(true);
  });

  test("for an unknown host lists the hosts that are served", async () => {
    const { body } = await queue.api.post("getQueue", inRepository({ host: "gitlab.example" }));
    expect(body.detail).toContain(queue.api.sandbox.host);
  });

  test("is not sent when the named head is current, in lower or upper case", async () => {
    const { number, sha } = await queue.open();
    for (const named of [sha, sha.toUpperCase()]) {
      expect((await queue.submit({ number, sha: named })).status).toBe(200);
    }
  });

  test("is sent when only the first digits of the head are named, because other commits may have them, too", async () => {
    const { number, sha } = await queue.open();
    const answer = await queue.submit({ number, sha: sha.slice(0, 12) });
    expect(answer).toMatchObject({ status: 400, body: { errors: [{ path: "pr.sha" }] } });
  });
});

function inRepository(changes: object): object {
  return { ...queue.api.queue, repo: { ...queue.api.queue.repo, ...changes } };
}

async function closed(): Promise<number> {
  const { number } = await queue.open();
  await queue.asAlice.rest.pulls.update({ ...target, pull_number: number, state: "closed" });
  return number;
}

async function queued(): Promise<number> {
  const { number } = await queue.open();
  await queue.submit({ number });
  return number;
}
