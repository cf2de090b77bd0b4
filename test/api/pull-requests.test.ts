import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { commitOn } from "../sandbox/commit-on-branch.ts";
import { target } from "../sandbox/scene.ts";
import { PausedQueue, type Pull } from "./paused-queue.ts";

let queue: PausedQueue;

beforeAll(async () => {
  queue = await PausedQueue.start();
});
afterAll(() => queue.api.close());

const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

describe("the response about a pull request", () => {
  let pull: Pull;
  beforeEach(async () => {
    pull = await queue.open();
  });

  const expected = () => ({
    id: expect.stringMatching(uuid),
    state: "pending",
    stateChangedAt: expect.stringMatching(timestamp),
    priorityValue: 100,
    priorityName: "medium",
    usedDefaultPriorityName: "medium",
    skipTheLine: false,
    noBatch: false,
    prNumber: pull.number,
    prTitle: `Add ${pull.branch}`,
    prSha: pull.sha,
    prBaseBranch: "main",
    prAuthor: "alice",
    forecast: null,
    readiness: {
      hasImpactedTargets: false,
      requiresImpactedTargets: false,
      doesBaseBranchMatch: true,
      gitHubMergeability: "mergeable",
    },
    forceEnqueued: false,
    isCurrentlySubmittedToQueue: true,
    url: null,
    verifiedByTestRun: null,
    submittedBy: expect.any(String),
    submittedVia: "api",
    merged: null,
    position: expect.any(Number),
    reason: "READY",
    why: expect.arrayContaining([
      {
        code: "QUEUE_NOT_RUNNING",
        since: expect.stringMatching(timestamp),
        until: null,
        text: expect.any(String),
        refs: expect.any(Array),
      },
    ]),
  });

  test("has every field after a submission", async () => {
    const { status, body } = await queue.submit({ number: pull.number });
    expect(status).toBe(200);
    expect(body).toEqual({ ...expected(), alreadyQueued: false });
  });

  test("has every field when it is read by number or by branch", async () => {
    await queue.submit({ number: pull.number });
    for (const pr of [{ number: pull.number }, { number: String(pull.number) }, { branch: pull.branch }]) {
      const { status, body } = await queue.call("getSubmittedPullRequest", pr);
      expect({ status, body }).toEqual({ status: 200, body: expected() });
    }
  });

  test("has every field after a cancellation, also when it is repeated", async () => {
    await queue.submit({ number: pull.number });
    const cancelled = await queue.call("cancelPullRequest", { number: pull.number });
    expect(cancelled.body).toEqual({
      ...expected(),
      state: "cancelled",
      isCurrentlySubmittedToQueue: false,
      position: null,
      reason: "CANCELLED_BY_API",
      why: [
        {
          code: "ENDED",
          since: cancelled.body.stateChangedAt,
          until: null,
          text: expect.any(String),
          refs: [],
        },
      ],
    });
    expect((await queue.call("cancelPullRequest", { number: pull.number })).body).toEqual(cancelled.body);
  });

  test("has the same id after another submission", async () => {
    const first = await queue.submit({ number: pull.number });
    await queue.call("cancelPullRequest", { number: pull.number });
    const second = await queue.submit({ number: pull.number });
    expect(second.body).toMatchObject({ id: first.body.id, isCurrentlySubmittedToQueue: true });
  });

  test("shows that targets were uploaded for its head, regardless of the SHA's case", async () => {
    const upload = { number: pull.number, sha: pull.sha.toUpperCase() };
    const { status, body } = await queue.call("setImpactedTargets", upload, {
      impactedTargets: ["a", "b", "a"],
    });
    expect({ status, body }).toEqual({
      status: 200,
      body: { prNumber: pull.number, prSha: pull.sha, targetsCount: 2 },
    });
    expect((await queue.submit({ number: pull.number })).body.readiness).toMatchObject({
      hasImpactedTargets: true,
    });
  });
});

describe("targets for a head", () => {
  const upload = (number: number, sha: string) =>
    queue.call("setImpactedTargets", { number, sha }, { impactedTargets: ["//a"] });

  test("are rejected when the repository has no such pull request or commit", async () => {
    const pull = await queue.open();
    const nowhere = await upload(4_711, pull.sha);
    expect([nowhere.status, nowhere.body.code]).toEqual([404, "PR_NOT_FOUND"]);
    const unknown = await upload(pull.number, "a".repeat(40));
    expect([unknown.status, unknown.body.code]).toEqual([404, "HEAD_NOT_FOUND"]);
    expect(unknown.body.detail).toContain("github.event.pull_request.head.sha");
  });

  test("are stored for the present head when the request names none, and the response names it", async () => {
    const pull = await queue.open();
    const unnamed = (number: number) =>
      queue.call("setImpactedTargets", { number }, { impactedTargets: ["//a", "//b"] });
    const first = await unnamed(pull.number);
    expect({ status: first.status, body: first.body }).toEqual({
      status: 200,
      body: { prNumber: pull.number, prSha: pull.sha, targetsCount: 2 },
    });
    const { readiness } = (await queue.submit({ number: pull.number })).body;
    expect(readiness).toMatchObject({ hasImpactedTargets: true });
    const pushed = await commitOn(queue.asAlice, pull.sha, { "pushed.txt": "1" });
    await queue.asAlice.rest.git.updateRef({ ...target, ref: `heads/${pull.branch}`, sha: pushed });
    expect((await unnamed(pull.number)).body).toMatchObject({ prSha: pushed });
    const nowhere = await unnamed(4_711);
    expect([nowhere.status, nowhere.body.code]).toEqual([404, "PR_NOT_FOUND"]);
  });

  test("are stored for a head that only GitHub knows, and GitHub is asked once", async () => {
    const pull = await queue.open();
    const { entries } = queue.api.sandbox.requests;
    const readings = () =>
      entries.filter(({ path }) => new RegExp(`/pulls/${pull.number}$|graphql`).test(path)).length;
    const before = readings();
    expect((await upload(pull.number, pull.sha)).status).toBe(200);
    const once = readings();
    expect(once).toBeGreaterThan(before);
    expect((await upload(pull.number, pull.sha)).status).toBe(200);
    expect(readings()).toBe(once);
  });
});

describe("a queue with pull requests", () => {
  const item = {
    id: expect.stringMatching(uuid),
    stateChangedAt: expect.stringMatching(timestamp),
    priorityValue: 0,
    priorityName: "urgent",
    usedDefaultPriorityName: "",
    skipTheLine: true,
    noBatch: true,
    prTitle: expect.any(String),
    prSha: expect.any(String),
    prBaseBranch: "main",
    prAuthor: "alice",
    forecast: null,
  };

  test("lists those that are ready separately from those that are not", async () => {
    const [ready, draft] = [await queue.open(), await queue.open({ draft: true })];
    for (const { number } of [draft, ready])
      await queue.submit({ number }, { priority: "URGENT", noBatch: true });
    const { body } = await queue.api.post("getQueue", queue.api.queue);
    expect(body.enqueuedPullRequests).toContainEqual({ ...item, prNumber: ready.number, state: "pending" });
    expect(body.awaitingReadiness).toContainEqual({ ...item, prNumber: draft.number, state: "not_ready" });
    expect(body.enqueuedPullRequests).not.toContainEqual(expect.objectContaining({ prNumber: draft.number }));
  });

  test("cannot be deleted, and the error names the pull requests", async () => {
    const { number } = await queue.open();
    await queue.submit({ number });
    const { status, body } = await queue.api.post("deleteQueue", queue.api.queue);
    expect({ status, code: body.code }).toEqual({ status: 400, code: "QUEUE_NOT_EMPTY" });
    expect(body.detail).toContain(`#${number}`);
  });
});
