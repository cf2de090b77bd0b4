import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect, test } from "@jest/globals";
import { eventually } from "./eventually.ts";
import { Gate } from "./gate.ts";
import { Stage } from "./stage.ts";

let stage: Stage;
let gate: Gate;

afterEach(async () => {
  gate.open();
  await stage.close();
});

async function open(environment: Readonly<Record<string, string>>): Promise<void> {
  gate = new Gate();
  stage = await Stage.open({ queue: {}, ci: { lastStep: gate.lastStep }, environment });
}

/** The queue of the branch under its new name, once it is known there. */
async function movedQueue(targetBranch = "trunk") {
  const moved = { ...stage.queue, targetBranch };
  await eventually(
    async () => stage.client.getQueue(moved).catch(() => null),
    `the queue of ${targetBranch}`,
  );
  return moved;
}

/** @throws Error when the pull request is removed */
async function untilMerged(queue: Stage["queue"], pr: number): Promise<void> {
  await eventually(async () => {
    // It may not be submitted yet.
    const entry = await stage.client
      .getSubmittedPullRequest({ ...queue, pr: { number: pr } })
      .catch(() => null);
    if (entry?.state === "cancelled") throw new Error(`it was removed: ${entry.reason}`);
    return entry?.state === "merged" ? true : null;
  }, "the pull request to be merged");
}

test("a renamed branch removes no pull request from the queue while GitHub does not say that it was renamed", async () => {
  await open({ TRAINYARD_RECONCILE_MS: "60000" });
  const pr = await stage.openPullRequest("one");
  await stage.client.submitPullRequest({ ...stage.queue, pr: { number: pr } });
  await stage.until(pr, "testing");
  const broken = { operation: "repos/get-branch", kind: "500", side: "before", count: 1_000 } as const;
  const mend = stage.sandbox.faults.next(broken);
  await stage.sandbox.renameBranch("acme/widgets", "main", "trunk");
  const failed = () => stage.sandbox.faults.count("operation")["repos/get-branch"] ?? 0;
  await eventually(async () => (failed() > 8 ? true : null), "failed calls");
  mend();
  const moved = await movedQueue();
  gate.open();
  await untilMerged(moved, pr);
});

test("a pull request stays in the queue of a renamed branch while GitHub still shows it with the former name", async () => {
  await open({ TRAINYARD_RECONCILE_MS: "500" });
  const pr = await stage.openPullRequest("one");
  await stage.client.submitPullRequest({ ...stage.queue, pr: { number: pr } });
  await stage.until(pr, "testing");
  await sleep(3_000);
  for (const operation of ["pulls/list", "pulls/get", "graphql/repository"])
    stage.sandbox.faults.next({ operation, kind: "stale", staleMs: 3_000, lastsMs: 3_000 });
  stage.sandbox.setWebhookUrl(null);
  await stage.sandbox.renameBranch("acme/widgets", "main", "trunk");
  const moved = await movedQueue();
  await sleep(3_000);
  gate.open();
  await untilMerged(moved, pr);
});

/** Our check passes only with the merge, so waiting for it would never end. */
test("a rule that requires the queue's own check by its name from before the rename stops no merge", async () => {
  const contexts = ["build", "Trainyard (main)"].map((context) => ({ context }));
  gate = new Gate();
  stage = await Stage.open({
    requiredChecks: null,
    rulesets: ({ app }) => [
      {
        rules: [{ type: "required_status_checks", required_status_checks: contexts }],
        bypass: [{ actor: app.slug, mode: "exempt" }],
      },
    ],
    queue: { mergeMethod: "squash", missingCheckMinutes: 1 },
  });
  const pr = await stage.openPullRequest("one");
  await stage.sandbox.renameBranch("acme/widgets", "main", "trunk");
  const moved = await movedQueue();
  await stage.client.submitPullRequest({ ...moved, pr: { number: pr } });
  await untilMerged(moved, pr);
});

test("a comment that is given right after its branch was renamed reaches the queue of that branch", async () => {
  await open({ TRAINYARD_RECONCILE_MS: "86400000" });
  const at = { owner: "acme", repo: "widgets" };
  const { sha } = (await stage.branch("main")).commit;
  await stage.octokit("admin").rest.git.createRef({ ...at, ref: "refs/heads/release", sha });
  const release = { ...stage.queue, targetBranch: "release" };
  await stage.client.createQueue({ ...release, requiredStatuses: ["build"] });
  const pr = await stage.openPullRequest("one");
  stage.sandbox.setWebhookUrl(null);
  await stage.sandbox.renameBranch("acme/widgets", "main", "trunk");
  stage.sandbox.setWebhookUrl(`${stage.url}/api/github/webhooks`);
  expect(await stage.untilReacted(await stage.comment(pr, "/trainyard merge"))).toBe("+1");
  const moved = await movedQueue();
  expect(await stage.client.getSubmittedPullRequest({ ...moved, pr: { number: pr } })).toMatchObject({
    isCurrentlySubmittedToQueue: true,
  });
});

test("pull requests merge into a branch whose new name has the former one as its first part", async () => {
  await open({ TRAINYARD_RECONCILE_MS: "60000" });
  const [one, two] = [await stage.openPullRequest("one"), await stage.openPullRequest("two")];
  await stage.client.submitPullRequest({ ...stage.queue, pr: { number: one } });
  await stage.until(one, "testing");
  await stage.sandbox.renameBranch("acme/widgets", "main", "main/1.0");
  const moved = await movedQueue("main/1.0");
  gate.open();
  await untilMerged(moved, one);
  await stage.comment(two, "/trainyard merge");
  await untilMerged(moved, two);
});
