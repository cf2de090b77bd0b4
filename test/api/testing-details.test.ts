import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { FinishingJob } from "../../tools/sandbox/ci/ci-settings.ts";
import { openPull } from "../sandbox/commit-on-branch.ts";
import { client as githubClient } from "../sandbox/scene.ts";
import { Gate } from "../scenarios/gate.ts";
import { type Answer, type Api, startApi } from "./api-harness.ts";

let api: Api;
/** By pull request: hold the tests of the queue until somebody waits for their end. */
const gates = new Map<string, Gate>();
function gateOf(pr: string): Gate {
  const gate = gates.get(pr) ?? new Gate();
  gates.set(pr, gate);
  return gate;
}

beforeAll(async () => {
  api = await startApi();
  const lastStep = (job: FinishingJob) =>
    gateOf(/\/pr-(\d+)\//.exec(job.branch)?.[1] ?? "none").lastStep(job);
  api.sandbox.setCi("acme/widgets", { durationMs: [5, 15], lastStep });
  await api.service.start();
  await api.post("createQueue", { ...api.queue, requiredStatuses: ["build", "test"], policy: "fixed" });
});
afterAll(async () => {
  for (const gate of gates.values()) gate.open();
  await api.close();
});

const details = (more: object = {}): Promise<Answer> =>
  api.post("getMergeQueueTestingDetails", { ...api.queue, ...more });

const read = (number: number) => api.post("getSubmittedPullRequest", { ...api.queue, pr: { number } });

async function submitted(branch: string, facts: object): Promise<{ number: number; sha: string }> {
  const alice = api.sandbox.createUser({ login: branch, permission: "write" });
  const pull = await openPull(githubClient(api.sandbox, alice.token), branch, {
    [`facts/${branch}.json`]: JSON.stringify(facts),
  });
  await api.sandbox.settled();
  await api.post("submitPullRequest", { ...api.queue, pr: { number: pull.number } });
  return pull;
}

async function runningTests(): Promise<Record<string, unknown>> {
  for (;;) {
    const [run] = (await details()).body.testRuns as Record<string, unknown>[];
    if (run?.testBranchSha) return run;
    await sleep(10);
  }
}

/** Lets the tests end. */
async function ended(number: number): Promise<Record<string, unknown>> {
  gateOf(String(number)).open();
  for (;;) {
    const { body } = await read(number);
    if (!body.isCurrentlySubmittedToQueue) return body;
    await sleep(20);
  }
}

describe("the test run of a pull request", () => {
  test("is shown while it runs, and with its outcome afterwards", async () => {
    const { number, sha } = await submitted("good", { sets: ["good"] });
    const running = await runningTests();
    expect(running).toMatchObject({
      status: "in_progress",
      endedAt: null,
      requiredStatuses: ["build", "test"],
      requiredStatusesSource: "merge_instance",
      testBranch: `trainyard-merge/pr-${number}/${String(running.testRunId)}`,
      testedPullRequests: [{ prNumber: number, prSha: sha, title: "Add good" }],
      dependentPrs: [],
      isBisection: false,
      reason: null,
    });
    const allowed = Date.parse(String(running.timesOutAt)) - Date.parse(String(running.createdAt));
    expect(Math.round(allowed / 60_000)).toBe(300);
    const entry = await ended(number);
    expect(entry).toMatchObject({ state: "merged", verifiedByTestRun: running.testRunId });
    const { status, body } = await details({ testRunId: running.testRunId });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      status: "succeeded",
      timesOutAt: null,
      testBranchSha: running.testBranchSha,
      testedPullRequests: running.testedPullRequests,
    });
    const names = (body.checkSuites as { checkRuns: { name: string; conclusion: string }[] }[])
      .flatMap(({ checkRuns }) => checkRuns)
      .map(({ name, conclusion }) => `${name} ${conclusion}`);
    expect(names.sort()).toEqual(["build SUCCESS", "test SUCCESS"]);
    expect((await details()).body).toEqual({ testRuns: [] });
  });

  test("is shown with the reason when it fails, also by the id that bisection branches have", async () => {
    // The pull request passes on its own, but fails on the policy that the base has by then.
    await submitted("forbids", { forbids: ["legacy"] }).then(({ number }) => ended(number));
    const alice = api.sandbox.createUser({ login: "late", permission: "write" });
    const pull = await openPull(githubClient(api.sandbox, alice.token), "legacy", {
      "facts/legacy.json": JSON.stringify({ sets: ["legacy"] }),
    });
    await api.sandbox.settled();
    await api.post("submitPullRequest", { ...api.queue, pr: { number: pull.number } });
    const running = await runningTests();
    expect(await ended(pull.number)).toMatchObject({ state: "failed" });
    const { body } = await details({ testRunId: `${String(running.testRunId).toUpperCase()}-bisection-2` });
    expect(body).toMatchObject({ testRunId: running.testRunId, status: "failed", reason: "CHECKS_FAILED" });
    const conclusions = (body.checkSuites as { checkRuns: { conclusion: string }[] }[]).flatMap((suite) =>
      suite.checkRuns.map(({ conclusion }) => conclusion),
    );
    expect(conclusions).toContain("FAILURE");
  });

  test("names at most 1,000 impacted targets of its pull requests, and their total number", async () => {
    const alice = api.sandbox.createUser({ login: "targets", permission: "write" });
    const { number, sha } = await openPull(githubClient(api.sandbox, alice.token), "targets", {
      "facts/targets.json": JSON.stringify({ sets: ["targets"] }),
    });
    await api.sandbox.settled();
    const names = Array.from({ length: 3_000 }, (_, index) => `//package:target-${index}`);
    const upload = { ...api.queue, pr: { number, sha }, impactedTargets: [...names, ...names] };
    expect((await api.post("setImpactedTargets", upload)).status).toBe(200);
    await api.post("submitPullRequest", { ...api.queue, pr: { number } });
    const { testRunId } = await runningTests();
    expect((await details({ testRunId })).body).toMatchObject({
      impactedTargets: names.slice(0, 1_000),
      impactedTargetsCount: 3_000,
    });
    await ended(number);
    expect((await details({ testRunId })).body).toMatchObject({ impactedTargetsCount: 3_000 });
  });

  test("without uploaded targets says that none are known", async () => {
    const { number } = await submitted("no-targets", { sets: ["no-targets"] });
    const { testRunId } = await runningTests();
    expect((await details({ testRunId })).body).toMatchObject({
      impactedTargets: [],
      impactedTargetsCount: null,
    });
    await ended(number);
  });

  test("is shown as cancelled after a cancellation", async () => {
    const { number } = await submitted("second-thoughts", { sets: ["thoughts"] });
    const { testRunId } = await runningTests();
    await api.post("cancelPullRequest", { ...api.queue, pr: { number } });
    expect((await details({ testRunId })).body).toMatchObject({ testRunId, status: "cancelled" });
    await ended(number);
  });
});

describe("whether a commit was tested", () => {
  const prove = (sha: string, more: object = {}) => api.post("proveCommit", { ...api.queue, sha, ...more });
  const shaOfMerge = async (number: number) =>
    ((await read(number)).body.merged as { sha: string } | null)?.sha ?? "it has not merged";

  test("is answered for what merged, by the tree that CI tested as another commit", async () => {
    const { number, sha: head } = await submitted("proved", { sets: ["proved"] });
    const { testRunId, testBranchSha } = await runningTests();
    expect((await prove(String(testBranchSha))).body).toMatchObject({
      proved: false,
      reason: "NOT_FINISHED",
      run: { testRunId },
      checks: [],
    });
    await ended(number);
    const sha = await shaOfMerge(number);
    expect(sha).not.toBe(testBranchSha);
    const { status, body } = await prove(sha.toUpperCase());
    expect({ status, ...body }).toMatchObject({
      ...{ status: 200, proved: true, reason: "PASSED", sha, prNumber: number, flakyTests: [] },
      run: { testRunId, testedSha: testBranchSha },
      checks: [
        { name: "build", conclusion: "success" },
        { name: "test", conclusion: "success" },
      ],
    });
    expect((await prove(String(testBranchSha))).body).toMatchObject({ proved: true, treeSha: body.treeSha });
    // The head is up to date, so it has the same tree.
    expect((await prove(head)).body).toMatchObject({ proved: true, treeSha: body.treeSha });
  });

  test("is denied for a tree that failed, and for a commit that does not exist", async () => {
    const { number } = await submitted("unproved", { forbids: ["unproved"], sets: ["unproved"] });
    const { testBranchSha } = await runningTests();
    expect(await ended(number)).toMatchObject({ state: "failed" });
    expect((await prove(String(testBranchSha))).body).toMatchObject({ proved: false, reason: "FAILED" });
    expect((await prove("a".repeat(40))).body).toMatchObject({
      proved: false,
      reason: "COMMIT_NOT_FOUND",
      treeSha: null,
    });
    expect((await prove("abc1234")).status).toBe(400);
    expect((await prove("a".repeat(40), { treeSha: "b".repeat(40) })).status).toBe(400);
  });

  test("is unknown to another queue, and to the same one after it was deleted and created again", async () => {
    const { number } = await submitted("forgotten", { sets: ["forgotten"] });
    await ended(number);
    const sha = await shaOfMerge(number);
    expect((await prove(sha, { targetBranch: "other" })).body).toMatchObject({ code: "QUEUE_NOT_FOUND" });
    await api.post("deleteQueue", api.queue);
    expect((await prove(sha)).body).toMatchObject({ code: "QUEUE_NOT_FOUND" });
    await api.post("createQueue", { ...api.queue, requiredStatuses: ["build", "test"], policy: "fixed" });
    expect((await prove(sha)).body).toMatchObject({ proved: false, reason: "NOT_TESTED" });
  });

  test("is answered with no, and in time, when GitHub does not tell the tree", async () => {
    await api.loseCodeHost();
    const began = performance.now();
    expect((await prove("a".repeat(40))).body).toMatchObject({
      proved: false,
      reason: "CODE_HOST_DID_NOT_ANSWER",
    });
    expect(performance.now() - began).toBeLessThan(30_000);
  });
});

test("an unknown test run responds with 404, and an invalid id is rejected", async () => {
  const unknown = await details({ testRunId: randomUUID() });
  expect([unknown.status, unknown.body.code]).toEqual([404, "TEST_RUN_NOT_FOUND"]);
  for (const testRunId of ["", "12", randomUUID().slice(1), `${randomUUID()}-x`, 5])
    expect((await details({ testRunId })).status).toBe(400);
});
