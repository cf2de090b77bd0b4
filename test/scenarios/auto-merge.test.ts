import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { eventually } from "./eventually.ts";
import { Gate } from "./gate.ts";
import { redeliver } from "./redeliver.ts";
import { Stage } from "./stage.ts";
import type { StageOptions } from "./stage-options.ts";
import { variants } from "./variants.ts";

let stage: Stage;
let gate: Gate;

beforeEach(() => {
  gate = new Gate();
});

afterEach(async () => {
  gate.open();
  await stage.close();
});

const hooks = [
  ["webhooks", { environment: { TRAINYARD_RECONCILE_MS: "86400000" } }],
  ["late webhooks", { sandbox: { webhooks: { delayMs: [600, 900] } } }],
  ["no webhooks", { sandbox: { webhooks: { drop: 1 } }, environment: { TRAINYARD_RECONCILE_MS: "200" } }],
] as const satisfies readonly (readonly [string, StageOptions])[];

const nextSecond = () => sleep(1_000 - (Date.now() % 1_000) + 5);

/**
 * Opens a pull request that lacks the tip of main, which the rules require of users. So GitHub's auto-merge waits, and the App may
 * merge, because the rules do not bind it.
 */
async function openBehind(options: StageOptions = {}): Promise<number> {
  stage = await Stage.open({
    rules: { strict: true },
    bypass: true,
    ...options,
    ci: { lastStep: gate.lastStep },
    queue: { mergeMethod: "merge_commit", submitByAutoMerge: true, ...options.queue },
  });
  const pr = await stage.openPullRequest("one");
  gate.open();
  await stage.pushToMain({ "notes.txt": "Behind.\n" });
  await stage.untilHandled();
  await stage.pull(pr);
  await stage.untilHandled();
  return pr;
}

describe.each(variants(hooks))("with %s,", (_how, options) => {
  test("enabling auto-merge submits the pull request, and the queue merges it", async () => {
    const pr = await openBehind(options);
    await stage.setAutoMerge(pr, "enable");
    const { submittedVia, submittedBy } = await stage.until(pr, "merged");
    expect([submittedVia, submittedBy]).toEqual(["auto_merge", "bob"]);
  });

  test("disabling auto-merge takes the pull request out of the queue", async () => {
    const pr = await openBehind({ ...options, requiredChecks: [], queue: { requiredStatuses: ["never"] } });
    await stage.setAutoMerge(pr, "enable");
    await stage.until(pr, "testing");
    await nextSecond();
    await stage.setAutoMerge(pr, "disable");
    expect(await stage.until(pr, "cancelled")).toMatchObject({ reason: "AUTO_MERGE_DISABLED" });
  });

  test("a push after enabling auto-merge is not merged", async () => {
    const pr = await openBehind({ ...options, requiredChecks: [], queue: { requiredStatuses: ["never"] } });
    const { head } = await stage.pull(pr);
    await nextSecond();
    await stage.setAutoMerge(pr, "enable");
    await nextSecond();
    await stage.push("one", { "facts/one.json": '{"sets":["unseen"]}\n' });
    const deadline = Date.now() + 4_000;
    while (Date.now() < deadline) {
      const entry = await stage.look(pr);
      if (entry?.isCurrentlySubmittedToQueue) expect(entry.prSha).toBe(head.sha);
      if (entry?.state === "cancelled") break;
      await sleep(50);
    }
    await eventually(
      async () => ((await stage.look(pr))?.isCurrentlySubmittedToQueue ? null : true),
      "the pull request to be taken out",
    );
  });
});

test("auto-merge that has been disabled since does not submit when its webhook arrives late", async () => {
  const environment = { TRAINYARD_RECONCILE_MS: "86400000" };
  const pr = await openBehind({ environment, requiredChecks: [], queue: { requiredStatuses: ["never"] } });
  await stage.stopService();
  await stage.setAutoMerge(pr, "enable");
  await stage.setAutoMerge(pr, "disable");
  // Only now is its webhook late.
  await sleep(7_000);
  await stage.startService(environment);
  await redeliver(stage.sandbox, "pull_request", "auto_merge_enabled");
  await stage.untilHandled();
  await stage.untilReacted(await stage.comment(pr, "/trainyard help"));
  expect(await stage.look(pr)).toBeNull();
});

test("enabling auto-merge submits nothing unless the queue's settings allow it", async () => {
  const pr = await openBehind({ queue: { submitByAutoMerge: false } });
  await stage.setAutoMerge(pr, "enable");
  await stage.untilHandled();
  await stage.untilReacted(await stage.comment(pr, "/trainyard help"));
  expect(await stage.look(pr)).toBeNull();
});

test("enabling auto-merge without permission to submit is refused by a comment, and auto-merge stays enabled", async () => {
  const files = { "notes.txt": "Nothing.\n", ".github/trainyard.yml": "permission: admin\n" };
  const pr = await openBehind({ repository: { files } });
  await stage.setAutoMerge(pr, "enable");
  await stage.untilCommented(pr, /queueing needs `admin`.*Auto-merge itself is still enabled/s);
  expect(await stage.look(pr)).toBeNull();
});

test("a pull request that GitHub's auto-merge merges beside the queue ends as merged by others", async () => {
  stage = await Stage.open({
    rules: { requiredReviews: 1 },
    ci: { lastStep: gate.lastStep },
    queue: { submitByAutoMerge: true },
  });
  const pr = await stage.openPullRequest("one");
  await stage.setAutoMerge(pr, "enable");
  await stage.until(pr, "not_ready");
  await stage.review(pr, "APPROVE");
  expect(await stage.until(pr, "merged")).toMatchObject({ reason: "MERGED_BY_OTHERS" });
});

test("auto-merge that polling found before the branch was renamed submits to the queue of that branch", async () => {
  const pr = await openBehind({ environment: { TRAINYARD_RECONCILE_MS: "500" } });
  stage.sandbox.setWebhookUrl(null);
  const operation = "repos/get-collaborator-permission-level";
  const mend = stage.sandbox.faults.next({ operation, kind: "500", side: "before", count: 1_000 });
  await stage.setAutoMerge(pr, "enable");
  const failed = () => stage.sandbox.faults.count("operation")[operation] ?? 0;
  await eventually(async () => (failed() > 0 ? true : null), "auto-merge to be found");
  await stage.sandbox.renameBranch("acme/widgets", "main", "trunk");
  const moved = { ...stage.queue, targetBranch: "trunk" };
  await eventually(async () => stage.client.getQueue(moved).catch(() => null), "the queue of trunk");
  mend();
  const entry = await eventually(
    async () => stage.client.getSubmittedPullRequest({ ...moved, pr: { number: pr } }).catch(() => null),
    "the pull request to be submitted",
  );
  expect(entry.submittedVia).toBe("auto_merge");
});
