import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { Reason } from "../../src/engine/reasons/reason.ts";
import { openStore } from "../../src/store/sqlite/open-store.ts";
import { GitHubProxy } from "./github-proxy.ts";
import { Stage, type SubmittedPullRequest } from "./stage.ts";

let stage: Stage;
let proxy: GitHubProxy;
let first: number;
let second: number;
let merged: SubmittedPullRequest;
let pushed: string;

/** Commits to main after the queue has read its tip and before GitHub merges. */
beforeAll(async () => {
  stage = await Stage.open({
    queue: { mergeMethod: "squash", concurrency: 2 },
    through: async (githubUrl) => {
      proxy = await GitHubProxy.start(githubUrl);
      return proxy.host;
    },
  });
  first = await stage.openPullRequest("first");
  second = await stage.openPullRequest("second");
  proxy.beforeNext("PUT", /\/pulls\/\d+\/merge$/, async () => {
    await stage.pushToMain({ "notes.txt": "Untested.\n" });
    pushed = (await stage.branch("main")).commit.sha;
  });
  await stage.comment(first, "/trainyard merge");
  await stage.until(first, "pending", "testing", "tests_passed", "merged");
  await stage.comment(second, "/trainyard merge");
  merged = await stage.until(first, "merged");
  await stage.untilHandled();
});

afterAll(async () => {
  try {
    await stage.close();
  } finally {
    await proxy.close();
  }
});

describe("an untested tree on the base", () => {
  test("pauses the queue with its reason code", async () => {
    const queue = await stage.client.getQueue(stage.queue);
    expect(queue).toMatchObject({ state: "paused", stateReason: "TREE_MISMATCH" });
  });

  test("is merged without a proof, and the entry records both trees", async () => {
    const { commit, sha } = (await stage.branch("main")).commit;
    expect(merged).toMatchObject({
      reason: "TREE_MISMATCH",
      merged: { sha, proof: null },
      verifiedByTestRun: null,
    });
    const green = await stage.sandbox.ci.greenTrees("acme/widgets");
    const reason = await recordedReason(first);
    expect(reason).toMatchObject({ code: "TREE_MISMATCH", pr: first, sha, actualTree: commit.tree.sha });
    const { expectedTree = "", actualTree = "" } = reason.code === "TREE_MISMATCH" ? reason : {};
    expect([...green]).toContain(expectedTree);
    expect([...green]).not.toContain(actualTree);
    expect(merged.why.at(-1)?.text).toBe(
      `#${first} was merged as ${sha.slice(0, 7)} with tree ${actualTree.slice(0, 7)}, but ${expectedTree.slice(0, 7)} was tested: ${pushed.slice(0, 7)} was pushed to the branch right before the merge`,
    );
  });

  test("is reported in the comment and in the check", async () => {
    const words = /right before the merge\. \*\*The tree on the branch is not the tree that was tested/;
    const comment = await stage.untilCommented(first, words);
    expect(comment).toContain("An administrator has to run CI on the branch, because that push");
    const check = await stage.untilChecked(merged.prSha, "failure");
    expect(check.output.title).toMatch(/^#\d+ was merged as \w{7} with tree \w{7}, but \w{7} was/);
    expect(check.output.summary).toMatch(words);
  });

  test("is shown on the dashboard beside the queue's state", async () => {
    const page = await (await fetch(stage.pageUrl)).text();
    expect(page).toMatch(
      /Paused: no test starts, nothing merges\.<\/strong> #\d+ was merged as \w{7} with tree/,
    );
  });

  test("stops other merges until the queue is resumed, and then the rest is tested on it and merges", async () => {
    const before = await stage.branch("main");
    const waiting = await stage.until(second, "pending");
    expect(waiting.why[0]).toMatchObject({ code: "QUEUE_NOT_RUNNING" });
    expect(waiting.why[0]?.text).toMatch(/^the queue is paused\. The reason: #\d+ was merged as/);
    expect((await stage.pull(second)).merged).toBe(false);

    await stage.client.updateQueue({ ...stage.queue, state: "running" });
    expect(await stage.until(second, "merged")).toMatchObject({ reason: "MERGED_IN_ORDER" });
    const { commit, parents } = (await stage.branch("main")).commit;
    expect(parents.map(({ sha }) => sha)).toEqual([before.commit.sha]);
    expect([...(await stage.sandbox.ci.greenTrees("acme/widgets"))]).toContain(commit.tree.sha);
  });
});

async function recordedReason(pr: number): Promise<Reason> {
  const store = await openStore(stage.databaseUrl);
  try {
    const [queue] = await store.queues.list();
    const entry = await store.queues.lastEntry(queue?.id ?? "", pr);
    if (!entry) throw new Error(`there is no record of #${pr}`);
    return entry.reason;
  } finally {
    await store.close();
  }
}
