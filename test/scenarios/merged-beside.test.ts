import { afterEach, expect, test } from "@jest/globals";
import { Gate } from "./gate.ts";
import { Stage } from "./stage.ts";
import { variants } from "./variants.ts";

let stage: Stage;
let gate: Gate;

afterEach(async () => {
  gate.open();
  await stage.close();
});

test.each(variants(["squash", "merge"]))(
  "a pull request that somebody merges while it waits ends as merged, also if the webhook is lost (%s)",
  async (merge_method) => {
    gate = new Gate();
    stage = await Stage.open({
      queue: { concurrency: 1, mergeMethod: "squash" },
      ci: { lastStep: gate.lastStep },
      environment: { TRAINYARD_RECONCILE_MS: "86400000" },
    });
    const first = await stage.openPullRequest("one");
    const second = await stage.openPullRequest("two");
    await stage.client.submitPullRequest({ ...stage.queue, pr: { number: first } });
    await stage.until(first, "testing");
    await stage.client.submitPullRequest({ ...stage.queue, pr: { number: second } });
    stage.sandbox.setWebhookUrl(null);
    const at = { owner: "acme", repo: "widgets", pull_number: second };
    await stage.octokit("admin").rest.pulls.merge({ ...at, merge_method });
    stage.sandbox.setWebhookUrl(`${stage.url}/api/github/webhooks`);
    gate.open();
    await stage.until(first, "merged");
    expect(await stage.until(second, "merged")).toMatchObject({ reason: "MERGED_BY_OTHERS" });
  },
);

/** The test branches of a pull request on which CI has started. */
const testsOf = (pr: number) =>
  new Set(
    stage.sandbox
      .workflowRuns("acme/widgets")
      .flatMap(({ headBranch }) => (headBranch?.startsWith(`trainyard-merge/pr-${pr}/`) ? [headBranch] : [])),
  );

test.each(
  variants([
    { mergeMethod: "squash", by: "squash", policy: "adaptive" },
    { mergeMethod: "merge_commit", by: "merge", policy: "fixed" },
    { mergeMethod: "squash", by: "push", policy: "adaptive" },
  ] as const),
)(
  "somebody merges the first pull request with $by, and the tests behind it are not repeated",
  async (how) => {
    gate = new Gate();
    const { by, ...settings } = how;
    const queue = { ...settings, concurrency: 3, batch: false };
    stage = await Stage.open({ queue, ci: { lastStep: gate.lastStep } });
    const first = await stage.openPullRequest("one");
    const others = [await stage.openPullRequest("two"), await stage.openPullRequest("three")];
    for (const number of [first, ...others]) {
      await stage.client.submitPullRequest({ ...stage.queue, pr: { number } });
      await stage.until(number, "testing");
    }
    const { rest } = stage.octokit("admin");
    const at = { owner: "acme", repo: "widgets" };
    if (by === "push") await rest.repos.merge({ ...at, base: "main", head: "one" });
    else await rest.pulls.merge({ ...at, pull_number: first, merge_method: by });
    expect(await stage.until(first, "merged")).toMatchObject({ reason: "MERGED_BY_OTHERS" });
    gate.open();
    for (const pr of others) await stage.until(pr, "merged");
    expect(others.map((pr) => testsOf(pr).size)).toEqual([1, 1]);
  },
);

test("a pull request with the commit of another one says with which one it has merged", async () => {
  gate = new Gate();
  stage = await Stage.open({
    queue: { concurrency: 1, mergeMethod: "merge_commit" },
    ci: { lastStep: gate.lastStep },
  });
  const first = await stage.openPullRequest("one");
  const { head } = await stage.pull(first);
  const twin = await stage.octokit("alice").rest.git.createRef({
    ...{ owner: "acme", repo: "widgets", ref: "refs/heads/twin", sha: head.sha },
  });
  expect(twin.status).toBe(201);
  const { data } = await stage
    .octokit("alice")
    .rest.pulls.create({ owner: "acme", repo: "widgets", base: "main", head: "twin", title: "The same" });
  await stage.comment(first, "/trainyard merge");
  await stage.until(first, "testing");
  await stage.comment(data.number, "/trainyard merge");
  await stage.until(data.number, "pending");
  gate.open();
  await stage.until(first, "merged");
  expect(await stage.until(data.number, "merged")).toMatchObject({ reason: "MERGED_BY_OTHERS" });
  await stage.untilCommented(
    data.number,
    new RegExp(
      `\\*\\*Merged\\*\\* into \`main\`: merged together with #${first}, which has the same commit\\.`,
    ),
  );
});

test("the comment on a pull request that was closed and lost its branch says that both have to be restored", async () => {
  gate = new Gate();
  stage = await Stage.open({ queue: { concurrency: 1 }, ci: { lastStep: gate.lastStep } });
  const pr = await stage.openPullRequest("gone");
  await stage.comment(pr, "/trainyard merge");
  await stage.until(pr, "testing");
  await stage.octokit("alice").rest.git.deleteRef({ owner: "acme", repo: "widgets", ref: "heads/gone" });
  expect(await stage.until(pr, "cancelled")).toMatchObject({ reason: "PR_CLOSED" });
  await stage.untilCommented(
    pr,
    /Closed, and its branch gone was deleted\. .*Restore its branch on GitHub, reopen it/,
  );
  await stage.comment(pr, "/trainyard merge");
  await stage.untilCommented(
    pr,
    /Its branch gone was deleted: restore it with the button on #1, then reopen #1/,
  );
});
