import { afterEach, expect, test } from "@jest/globals";
import { Stage } from "./stage.ts";

let stage: Stage;

afterEach(() => stage.close());

test("a queued pull request whose base branch changes is cancelled, and is shown with the new base branch", async () => {
  stage = await Stage.open({ queue: { requiredStatuses: ["never"] } });
  const at = { owner: "acme", repo: "widgets" };
  const { sha } = (await stage.branch("main")).commit;
  await stage.octokit("admin").rest.git.createRef({ ...at, ref: "refs/heads/release", sha });
  const pr = await stage.openPullRequest("one");
  await stage.client.submitPullRequest({ ...stage.queue, pr: { number: pr } });
  expect(await stage.until(pr, "testing")).toMatchObject({ prBaseBranch: "main" });
  await stage.update(pr, { base: "release" });
  expect(await stage.until(pr, "cancelled")).toMatchObject({
    reason: "BASE_BRANCH_CHANGED",
    prBaseBranch: "release",
  });
});
