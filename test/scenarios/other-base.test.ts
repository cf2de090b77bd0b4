import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect, test } from "@jest/globals";
import { redeliver } from "./redeliver.ts";
import { Stage } from "./stage.ts";

let stage: Stage;

afterEach(() => stage.close());

test("a pull request into another branch waits, and merges once its base branch is changed to the queue's", async () => {
  stage = await Stage.open({ queue: {} });
  const pr = await stage.openPullRequest("one");
  await createBranch("release");
  await stage.update(pr, { base: "release" });
  await stage.client.submitPullRequest({ ...stage.queue, pr: { number: pr } });
  expect(await stage.until(pr, "not_ready")).toMatchObject({
    prBaseBranch: "release",
    readiness: { doesBaseBranchMatch: false },
  });
  await stage.update(pr, { base: "main" });
  expect(await stage.until(pr, "merged")).toMatchObject({ prBaseBranch: "main" });
});

async function createBranch(name: string): Promise<void> {
  const { sha } = (await stage.branch("main")).commit;
  const at = { owner: "acme", repo: "widgets" };
  await stage.octokit("admin").rest.git.createRef({ ...at, ref: `refs/heads/${name}`, sha });
}

async function createReleaseQueue() {
  await createBranch("release");
  const release = { ...stage.queue, targetBranch: "release" };
  await stage.client.createQueue({ ...release, requiredStatuses: ["build"] });
  return release;
}

test("a queued pull request whose base branch changes is cancelled, and is shown with the new base branch", async () => {
  stage = await Stage.open({ queue: { requiredStatuses: ["never"] } });
  await createBranch("release");
  const pr = await stage.openPullRequest("one");
  await stage.client.submitPullRequest({ ...stage.queue, pr: { number: pr } });
  expect(await stage.until(pr, "testing")).toMatchObject({ prBaseBranch: "main" });
  await stage.update(pr, { base: "release" });
  expect(await stage.until(pr, "cancelled")).toMatchObject({
    reason: "BASE_BRANCH_CHANGED",
    prBaseBranch: "release",
  });
});

test("a label whose webhook arrives late submits to the queue of the base branch that the pull request has by then", async () => {
  stage = await Stage.open({ queue: {}, environment: { TRAINYARD_RECONCILE_MS: "86400000" } });
  const release = await createReleaseQueue();
  const pr = await stage.openPullRequest("one", undefined, { base: "release" });
  await stage.stopService();
  await stage.label(pr, "trainyard:merge");
  await stage.update(pr, { base: "main" });
  // Only now is its webhook late.
  await sleep(7_000);
  await stage.startService();
  await redeliver(stage.sandbox, "pull_request", "labeled");
  expect(await stage.until(pr, "merged")).toMatchObject({ submittedVia: "label", prBaseBranch: "main" });
  await expect(stage.client.getSubmittedPullRequest({ ...release, pr: { number: pr } })).rejects.toThrow(
    "was never submitted",
  );
});

test("a comment submits to the queue of the present base branch when GitHub answers with an earlier one for a moment", async () => {
  stage = await Stage.open({ queue: {}, environment: { TRAINYARD_RECONCILE_MS: "86400000" } });
  const release = await createReleaseQueue();
  const pr = await stage.openPullRequest("one", undefined, { base: "release" });
  await sleep(2_000);
  await stage.update(pr, { base: "main" });
  const changedAt = Date.now();
  await sleep(1_000);
  const stale = { kind: "stale", staleMs: () => Date.now() - changedAt + 1_000 } as const;
  for (const operation of ["pulls/get", "graphql/repository"])
    stage.sandbox.faults.next({ ...stale, operation });
  await stage.comment(pr, "/trainyard merge");
  expect(await stage.until(pr, "merged")).toMatchObject({ submittedVia: "comment", prBaseBranch: "main" });
  await expect(stage.client.getSubmittedPullRequest({ ...release, pr: { number: pr } })).rejects.toThrow(
    "was never submitted",
  );
});

test("a comment is carried out although GitHub says for a moment that its pull request does not exist", async () => {
  stage = await Stage.open({ queue: {}, environment: { TRAINYARD_RECONCILE_MS: "86400000" } });
  await createReleaseQueue();
  const pr = await stage.openPullRequest("one");
  // A replica that lags does not know the pull request yet.
  const lasting = { lastsMs: 3_000, count: 1_000 } as const;
  stage.sandbox.faults.next({ operation: "graphql/repository", kind: "stale", staleMs: 60_000, ...lasting });
  stage.sandbox.faults.next({ operation: "pulls/get", kind: "not_found", side: "before", ...lasting });
  const comment = await stage.comment(pr, "/trainyard merge");
  await stage.until(pr, "merged");
  expect(await stage.untilReacted(comment)).toBe("+1");
});

test("a comment reaches a pull request that waits in the queue of another branch, and cancels it", async () => {
  stage = await Stage.open({ queue: {} });
  const release = await createReleaseQueue();
  const pr = await stage.openPullRequest("one");
  await stage.client.submitPullRequest({ ...release, pr: { number: pr } });
  expect(await stage.untilReacted(await stage.comment(pr, "/trainyard status"))).toBe("+1");
  await stage.untilCommented(pr, /> @alice: \*\*Not ready\*\* in the queue for `release`\./);
  expect(await stage.untilReacted(await stage.comment(pr, "/trainyard cancel"))).toBe("+1");
  expect(await stage.client.getSubmittedPullRequest({ ...release, pr: { number: pr } })).toMatchObject({
    state: "cancelled",
    reason: "CANCELLED_BY_USER",
  });
});
