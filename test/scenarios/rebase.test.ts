import { afterEach, expect, test } from "@jest/globals";
import { Stage } from "./stage.ts";

let stage: Stage;

afterEach(() => stage.close());

test("with rebase nothing is built: the pull request fails, saying which methods there are, and goes on with one", async () => {
  stage = await Stage.open();
  const warning = expect.stringMatching(
    /^mergeMethod rebase .* CONFIGURATION_INVALID; set merge_commit or squash/,
  );
  const created = await stage.client.createQueue({ ...stage.queue, mergeMethod: "rebase" });
  expect(created.warnings).toEqual([warning]);
  const pr = await stage.openPullRequest("good");
  const before = await stage.branch("main");
  await stage.comment(pr, "/trainyard merge");

  const failed = await stage.until(pr, "failed");
  expect(failed.reason).toBe("CONFIGURATION_INVALID");
  await stage.untilCommented(pr, /mergeMethod rebase is not supported yet; set merge\\?_commit or squash/);
  await stage.sandbox.settled();
  expect((await stage.branch("main")).commit.sha).toBe(before.commit.sha);
  expect(await stage.sandbox.ci.greenTrees("acme/widgets")).toEqual(new Set());

  const updated = await stage.client.updateQueue({ ...stage.queue, mergeMethod: "squash" });
  expect(updated.warnings).toEqual([]);
  await stage.client.submitPullRequest({ ...stage.queue, pr: { number: pr } });
  await stage.until(pr, "merged");
});
