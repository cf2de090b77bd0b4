import { afterEach, describe, expect, test } from "@jest/globals";
import { Fork } from "../sandbox/fork.ts";
import { target } from "../sandbox/scene.ts";
import { eventually } from "./eventually.ts";
import { Gate } from "./gate.ts";
import { Stage } from "./stage.ts";
import { variants } from "./variants.ts";

let stage: Stage;
afterEach(() => stage.close());

const pull = async (pr: number) =>
  (await stage.octokit("alice").rest.pulls.get({ ...target, pull_number: pr })).data;

describe.each(variants(["squash", "merge_commit", "rebase"] as const))(
  "a repository that deletes merged branches, with %s",
  (mergeMethod) => {
    test("merges a pull request, and then the one on top of it, whose base GitHub changes", async () => {
      const gate = new Gate();
      stage = await Stage.open({
        queue: { mergeMethod },
        bypass: true,
        repository: { deleteBranchOnMerge: true },
        ci: { lastStep: (job) => gate.lastStep(job) },
      });
      const low = await stage.openPullRequest("low");
      const high = await stage.openPullRequest("high", undefined, { base: "low", from: "low", by: "alice" });
      await stage.comment(low, "/trainyard merge");
      await stage.until(low, "testing");
      await stage.comment(high, "/trainyard merge");
      await eventually(
        async () => ((await stage.look(high))?.state === "not_ready" ? true : null),
        "to wait",
      );
      gate.open();
      await stage.until(low, "merged");
      await eventually(
        () =>
          stage.branch("low").then(
            () => null,
            () => true,
          ),
        "the deletion of low",
      );
      expect(await pull(high)).toMatchObject({ base: { ref: "main" } });
      await stage.until(high, "merged");
    });
  },
);

test("a pull request merges whose fork was deleted after its test began", async () => {
  const gate = new Gate();
  stage = await Stage.open({ queue: {}, ci: { lastStep: (job) => gate.lastStep(job) } });
  const fork = await Fork.of(stage.sandbox, "carol", stage.octokit("carol"));
  const sha = await fork.commit((await stage.branch("main")).commit.sha, "good.txt");
  const { pull: opened } = await fork.openPull("topic", sha);
  await stage.untilHandled();
  await stage.comment(opened.number, `/trainyard merge ${sha}`, "bob");
  await stage.until(opened.number, "testing");
  await stage.sandbox.deleteRepository("carol/widgets");
  expect((await pull(opened.number)).head.repo).toBeNull();
  gate.open();
  await stage.until(opened.number, "merged");
});

test("a pull request whose conversation is locked merges, and so do others", async () => {
  stage = await Stage.open({ queue: {} });
  const locked = await stage.openPullRequest("locked");
  const other = await stage.openPullRequest("other");
  stage.sandbox.lockConversation("acme/widgets", locked);
  await stage.comment(locked, "/trainyard merge");
  await stage.comment(other, "/trainyard merge");
  await stage.until(locked, "merged");
  await stage.until(other, "merged");
  await stage.untilCommented(other, /Merged/);
  await stage.untilChecked((await pull(locked)).head.sha, "success");
  expect(await stage.ourComments(locked)).toEqual([]);
});
