import { afterEach, expect, test } from "@jest/globals";
import { manifestWith } from "../app-manifest.ts";
import { eventually } from "./eventually.ts";
import { Stage } from "./stage.ts";

let stage: Stage;

afterEach(() => stage.close());

const slow = { durationMs: [2_500, 2_500] as const, pullRequests: false };

const conclusions = () =>
  stage.sandbox
    .workflowRuns("acme/widgets")
    .filter(({ headBranch }) => headBranch?.startsWith("trainyard-merge/"))
    .map(({ conclusion }) => conclusion);

const ended = () =>
  eventually(async () => (conclusions().includes(null) ? null : conclusions()), "the runs to end");

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
    ci: { ...slow, durationMs: [60_000, 60_000] },
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
    ci: { ...slow, durationMs: [60_000, 60_000] },
  });
  const pr = await testAndCancel();
  stage.sandbox.setCi("acme/widgets", slow);
  await stage.client.submitPullRequest({ ...stage.queue, pr: { number: pr } });
  expect(await stage.until(pr, "merged")).toMatchObject({ reason: "MERGED_IN_ORDER" });
  expect(await ended()).toEqual(["cancelled", "success"]);
});

test("an obsolete run continues to its end with cancelObsoleteRuns off", async () => {
  stage = await Stage.open({
    queue: { requiredStatuses: ["build", "test"], cancelObsoleteRuns: false },
    requiredChecks: null,
    ci: slow,
  });
  await testAndCancel();
  expect(await ended()).toEqual(["success"]);
});

test("a queue without the permission to cancel runs keeps working", async () => {
  stage = await Stage.open({
    sandbox: { appManifest: manifestWith("actions", "read") },
    queue: { requiredStatuses: ["build", "test"] },
    requiredChecks: null,
    ci: slow,
  });
  const pr = await testAndCancel();
  expect(await ended()).toEqual(["success"]);
  await stage.client.submitPullRequest({ ...stage.queue, pr: { number: pr } });
  await stage.until(pr, "merged");
});
