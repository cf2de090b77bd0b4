import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { eventually } from "./eventually.ts";
import { repository } from "./github-users.ts";
import { redeliver } from "./redeliver.ts";
import { Stage } from "./stage.ts";

const fullName = "acme/widgets";

let stage: Stage;

beforeEach(async () => {
  stage = await Stage.open({ queue: { concurrency: 2 } });
});
afterEach(() => stage.close());

/** Submits a new pull request, and resolves when the service tries to create its comment. */
async function untilCommenting(): Promise<number> {
  const number = await stage.openPullRequest("good");
  await stage.client.submitPullRequest({ ...stage.queue, pr: { number } });
  const { faults } = stage.sandbox;
  await eventually(async () => (faults.injected.length > 0 ? true : null), "the comment to be requested");
  return number;
}

/** Renames the repository, and resolves when the pull request is merged under the new name. */
async function renameUntilMerged(number: number): Promise<void> {
  await stage.sandbox.renameRepository(fullName, "gadgets");
  const moved = { ...stage.queue, repo: { ...stage.queue.repo, name: "gadgets" } };
  await eventually(async () => {
    const found = await stage.client.getSubmittedPullRequest({ ...moved, pr: { number } }).catch(() => null);
    return found?.state === "merged" ? true : null;
  }, "the pull request to be merged under the new name");
}

test("a comment that is being created while its repository is renamed stays the only one", async () => {
  stage.sandbox.setCi(fullName, { durationMs: [1_500, 1_500] });
  stage.sandbox.faults.next({
    operation: "graphql/addComment",
    kind: "latency",
    side: "after",
    latencyMs: 5_000,
  });
  const number = await untilCommenting();
  await renameUntilMerged(number);
  await stage.untilCommented(number, /^\*\*Merged\*\*/m);
  await sleep(1_000);
  expect(await stage.ourComments(number)).toHaveLength(1);
});

test("a pull request that was merged before its repository is renamed still gets its comment", async () => {
  const end = stage.sandbox.faults.next({
    operation: "graphql/addComment",
    kind: "500",
    side: "before",
    count: 99,
  });
  const number = await untilCommenting();
  await stage.until(number, "merged");
  await renameUntilMerged(number);
  end();
  await stage.untilCommented(number, /^\*\*Merged\*\*/m);
});

test("no second queue is created for a branch whose queue does not know the repository's new name yet", async () => {
  const { client, queue, sandbox } = stage;
  sandbox.setWebhookUrl(null);
  await sandbox.renameRepository(fullName, "gadgets");
  const moved = { repo: { ...queue.repo, name: "gadgets" }, targetBranch: queue.targetBranch };
  await expect(client.createQueue(moved)).rejects.toMatchObject({ status: 409, code: "QUEUE_EXISTS" });
  expect(await client.getQueue(moved)).toMatchObject({ state: "running" });
  await expect(client.createQueue(queue)).rejects.toMatchObject({ status: 409, code: "QUEUE_EXISTS" });
});

test("a new repository that takes the name of a renamed one is not mixed up with it", async () => {
  const { client, queue, sandbox } = stage;
  const early = await stage.openPullRequest("early");
  const waiting = await stage.openPullRequest("waiting");
  await client.submitPullRequest({ ...queue, pr: { number: early } });
  await stage.until(early, "merged");
  await stage.untilCommented(early, /^\*\*Merged\*\*/m);
  await sandbox.renameRepository(fullName, "widgets-legacy");
  const legacy = { ...queue, repo: { ...queue.repo, name: "widgets-legacy" } };
  await eventually(async () => client.getQueue(legacy).catch(() => null), "the queue under its new name");

  await sandbox.createRepository({
    ...repository,
    files: { "README.md": "# Other\n" },
    ci: { durationMs: [60, 160] },
  });
  await client.createQueue({ ...queue, requiredStatuses: ["build", "test"] });
  const first = await stage.openPullRequest("first", undefined, { by: "bob" });
  expect(first).toBe(early);
  await client.submitPullRequest({ ...queue, pr: { number: first } });
  await client.submitPullRequest({ ...legacy, pr: { number: waiting } });
  await stage.until(first, "merged");
  await stage.untilCommented(first, /^\*\*Merged\*\*/m);
  await eventually(async () => {
    const { state } = await client.getSubmittedPullRequest({ ...legacy, pr: { number: waiting } });
    return state === "merged" ? true : null;
  }, "the pull request of the renamed repository to be merged");
});

test("a command whose webhook arrives late, with the earlier name of its repository, is carried out", async () => {
  const { client, queue, sandbox } = stage;
  const number = await stage.openPullRequest("good");
  await stage.stopService();
  await stage.comment(number, "/trainyard merge");
  await sandbox.settled();
  await sandbox.renameRepository(fullName, "gadgets");
  await stage.startService({ TRAINYARD_COMMANDS: "elsewhere" });
  const moved = { ...queue, repo: { ...queue.repo, name: "gadgets" } };
  await eventually(async () => client.getQueue(moved).catch(() => null), "the queue under its new name");
  await redeliver(sandbox, "issue_comment", "created");
  await stage.untilCommented(number, /^\*\*Merged\*\*/m);
});

test("commands from before a rename are not carried out again", async () => {
  await stage.stopService();
  await stage.startService({ TRAINYARD_RECONCILE_MS: "500" });
  const { client, queue, sandbox } = stage;
  sandbox.setCi(fullName, { durationMs: [60_000, 60_000] });
  const number = await stage.openPullRequest("good");
  await stage.comment(number, "/trainyard merge");
  await stage.until(number, "testing");
  await stage.untilReacted(await stage.comment(number, "/trainyard cancel"));
  await stage.until(number, "cancelled");
  await client.submitPullRequest({ ...queue, pr: { number } });
  await sandbox.renameRepository(fullName, "gadgets");
  const moved = { ...queue, repo: { ...queue.repo, name: "gadgets" } };
  await eventually(async () => client.getQueue(moved).catch(() => null), "the queue under its new name");
  await sleep(5_000);
  const { state } = await client.getSubmittedPullRequest({ ...moved, pr: { number } });
  expect(state).not.toBe("cancelled");
});
