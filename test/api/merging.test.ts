import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { injectFetch } from "../../src/api/inject-fetch.ts";
import { createClient, type TrainyardClient } from "../../src/client/client.ts";
import type { EntryState } from "../../src/engine/model/entry.ts";
import { openPull } from "../sandbox/commit-on-branch.ts";
import { client as githubClient } from "../sandbox/scene.ts";
import { Gate } from "../scenarios/gate.ts";
import { type Api, botToken, startApi } from "./api-harness.ts";

let api: Api;
let client: TrainyardClient;
/** Holds the CI jobs until the test has seen what it needs to see while they run. */
let gate: Gate;

beforeAll(async () => {
  api = await startApi();
  gate = new Gate();
  api.sandbox.setCi("acme/widgets", { durationMs: [150, 200], lastStep: gate.lastStep });
  await api.service.start();
  client = createClient({ baseUrl: "http://trainyard", token: botToken, fetch: injectFetch(api.app) });
});
afterAll(async () => {
  gate.open();
  await api.close();
});

test("a client can submit a pull request, restart its tests and see it merged", async () => {
  const alice = api.sandbox.createUser({ login: "alice", permission: "write" });
  const pull = await openPull(githubClient(api.sandbox, alice.token), "feature", { "feature.txt": "1" });
  const requiredStatuses = ["build", "test"];
  const created = await client.createQueue({
    ...api.queue,
    requiredStatuses,
    createPrsForTestingBranches: false,
  });
  expect(created).toMatchObject({ requiredStatuses, requiredStatusesSource: "merge_instance", warnings: [] });

  const pr = { number: pull.number };
  const testing = inState(pull.number, "testing");
  await client.submitPullRequest({ ...api.queue, pr, priority: "high", via: "action" });
  await testing;
  expect(await client.getQueue(api.queue)).toMatchObject({
    enqueuedPullRequests: [{ prNumber: pull.number, state: "testing", priorityName: "high" }],
    awaitingReadiness: [],
  });
  const [link] = (await client.getSubmittedPullRequest({ ...api.queue, pr })).why;
  expect(link).toMatchObject({ code: "WAITING_FOR_CHECKS", refs: requiredStatuses });
  expect(Date.parse(link?.until ?? "")).toBeGreaterThan(Date.now());

  const merged = inState(pull.number, "merged");
  const testingAgain = inState(pull.number, "testing");
  expect(await client.restartTestsOnPullRequest({ ...api.queue, pr })).toMatchObject({ state: "pending" });
  await testingAgain;
  expect(await client.updateQueue({ ...api.queue, mode: "parallel" })).toMatchObject({
    state: "switching_modes",
    mode: "parallel",
  });
  expect(await client.getQueue(api.queue)).toMatchObject({ state: "switching_modes", mode: "parallel" });
  await expect(client.updateQueue({ ...api.queue, concurrency: 2 })).rejects.toMatchObject({
    name: "ApiError",
    status: 409,
    code: "SWITCHING_MODES",
  });
  for (const state of ["paused", "running"] as const) {
    expect(await client.updateQueue({ ...api.queue, state })).toMatchObject({ state: "switching_modes" });
  }

  gate.open();
  await merged;
  expect(await client.getSubmittedPullRequest({ ...api.queue, pr: { branch: "feature" } })).toMatchObject({
    state: "merged",
    reason: "MERGED_IN_ORDER",
    isCurrentlySubmittedToQueue: false,
    position: null,
    verifiedByTestRun: expect.stringMatching(/^[0-9a-f-]{36}$/),
    merged: {
      sha: expect.stringMatching(/^[0-9a-f]{40}$/),
      proof: expect.stringMatching(/^(exact|same_tree)$/),
    },
    why: [{ code: "ENDED" }],
  });
  expect(await client.getQueue(api.queue)).toMatchObject({ enqueuedPullRequests: [], mode: "parallel" });
  expect(await client.deleteQueue(api.queue)).toEqual({ deleted: true });
  expect(await client.deleteQueue(api.queue)).toEqual({ deleted: false });
  expect(api.sandbox.violations).toEqual([]);
});

/** Resolves when a pull request enters a state. Must be called before the action that leads to it. */
function inState(pr: number, wanted: EntryState): Promise<void> {
  return new Promise((resolve) => {
    api.service.runtime.onCommit((_queueId, events) => {
      const moved = events.some(
        ({ data }) => data.type === "entry_moved" && data.pr === pr && data.to === wanted,
      );
      if (moved) resolve();
    });
  });
}
