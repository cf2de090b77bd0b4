import { afterEach, expect, test } from "@jest/globals";
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
