import { afterEach, expect, test } from "@jest/globals";
import { eventually } from "./eventually.ts";
import { Stage } from "./stage.ts";
import { variants } from "./variants.ts";

let stage: Stage;

afterEach(() => stage.close());

async function treeOf(sha: string): Promise<string> {
  const { data } = await stage
    .octokit("alice")
    .rest.git.getCommit({ owner: "acme", repo: "widgets", commit_sha: sha });
  return data.tree.sha;
}

test.each(variants(["squash", "merge_commit"]))(
  "an up-to-date green pull request merges at once with %s, and another one is tested",
  async (mergeMethod) => {
    stage = await Stage.open({ queue: { directMergeMode: "always", mergeMethod } });
    const first = await stage.openPullRequest("one");
    const second = await stage.openPullRequest("two");
    const { head } = await stage.pull(first);
    await stage.client.submitPullRequest({ ...stage.queue, pr: { number: first } });
    const merged = await stage.until(first, "merged");
    expect(merged).toMatchObject({ reason: "DIRECT_MERGED", verifiedByTestRun: null });
    expect(merged.merged?.proof).toBe("head");
    const main = await stage.branch("main");
    expect(main.commit.sha).toBe(merged.merged?.sha);
    expect(await treeOf(main.commit.sha)).toBe(await treeOf(head.sha));
    await eventually(async () => ((await stage.pull(first)).merged ? true : null), "#1 to show as merged");
    await stage.untilCommented(first, /exactly that of its head/);

    // Its head does not contain the first one.
    await stage.client.submitPullRequest({ ...stage.queue, pr: { number: second } });
    const tested = await stage.until(second, "merged");
    expect(tested).toMatchObject({ reason: "MERGED_IN_ORDER" });
    expect(tested.verifiedByTestRun).not.toBeNull();
  },
);

test("an up-to-date head whose checks have not passed is not merged untested", async () => {
  stage = await Stage.open({
    queue: { directMergeMode: "always", requiredStatuses: ["build", "deploy"] },
    requiredChecks: null,
  });
  const pr = await stage.openPullRequest("one");
  await stage.client.submitPullRequest({ ...stage.queue, pr: { number: pr } });
  const entry = await stage.until(pr, "testing");
  expect(entry.why).toContainEqual(expect.objectContaining({ code: "WAITING_FOR_CHECKS" }));
});
