import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { manifestWith } from "../app-manifest.ts";
import { eventually } from "./eventually.ts";
import { Gate } from "./gate.ts";
import { Stage } from "./stage.ts";

let stage: Stage;
let gate: Gate;

beforeEach(() => {
  gate = new Gate();
});

afterEach(async () => {
  gate.open();
  await stage.close();
});

const endless = { durationMs: [60_000, 60_000] as const, pullRequests: false };

const conclusions = () =>
  stage.sandbox
    .workflowRuns("acme/widgets")
    .filter(({ headBranch }) => headBranch?.startsWith("trainyard-merge/"))
    .map(({ conclusion }) => conclusion);

const ended = () =>
  eventually(async () => (conclusions().includes(null) ? null : conclusions()), "the runs to end");

/** Waits until nothing is done any more about the run of a cancelled pull request, and lets it end. */
async function endRun(): Promise<void> {
  await eventually(async () => {
    const { git } = stage.octokit("alice").rest;
    const ref = "heads/trainyard-merge/";
    const { data } = await git.listMatchingRefs({ owner: "acme", repo: "widgets", ref });
    return data.length === 0 || null;
  }, "the test branch to be removed");
  gate.open();
}

async function testAndCancel(): Promise<number> {
  const pr = await stage.openPullRequest("one");
  await stage.client.submitPullRequest({ ...stage.queue, pr: { number: pr } });
  await stage.until(pr, "testing");
  await stage.client.cancelPullRequest({ ...stage.queue, pr: { number: pr } });
  await stage.until(pr, "cancelled");
  return pr;
}

async function cancelledRuns(): Promise<string | undefined> {
  const response = await fetch(`${stage.url}/v1/getMergeQueueMetrics`, {
    headers: { "x-api-token": stage.token },
  });
  return /trainyard_cancelled_workflow_runs_total\{[^}]*\} (\d+)/.exec(await response.text())?.[1];
}

test("the workflow run of a cancelled pull request is cancelled, and counted in the metrics", async () => {
  stage = await Stage.open({
    queue: { requiredStatuses: ["build", "test"] },
    requiredChecks: null,
    ci: endless,
  });
  const pr = await testAndCancel();
  expect(await ended()).toEqual(["cancelled"]);
  await eventually(async () => ((await cancelledRuns()) === "1" ? true : null), "the count");
  expect(await stage.look(pr)).toMatchObject({ state: "cancelled", reason: "CANCELLED_BY_API" });
});

test("a cancelled pull request that is submitted again at once is tested and merges, while its old run is cancelled", async () => {
  stage = await Stage.open({
    queue: { requiredStatuses: ["build", "test"] },
    requiredChecks: null,
    ci: endless,
  });
  const pr = await testAndCancel();
  stage.sandbox.setCi("acme/widgets", { pullRequests: false });
  await stage.client.submitPullRequest({ ...stage.queue, pr: { number: pr } });
  expect(await stage.until(pr, "merged")).toMatchObject({ reason: "MERGED_IN_ORDER" });
  expect(await ended()).toEqual(["cancelled", "success"]);
});

test("an obsolete run continues to its end with cancelObsoleteRuns off", async () => {
  stage = await Stage.open({
    queue: { requiredStatuses: ["build", "test"], cancelObsoleteRuns: false },
    requiredChecks: null,
    ci: { lastStep: gate.lastStep, pullRequests: false },
  });
  await testAndCancel();
  await endRun();
  expect(await ended()).toEqual(["success"]);
});

test("a queue without the permission to cancel runs keeps working", async () => {
  stage = await Stage.open({
    sandbox: { appManifest: manifestWith("actions", "read") },
    queue: { requiredStatuses: ["build", "test"] },
    requiredChecks: null,
    ci: { lastStep: gate.lastStep, pullRequests: false },
  });
  const pr = await testAndCancel();
  await endRun();
  expect(await ended()).toEqual(["success"]);
  await stage.client.submitPullRequest({ ...stage.queue, pr: { number: pr } });
  await stage.until(pr, "merged");
});
