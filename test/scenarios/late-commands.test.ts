import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, test } from "@jest/globals";
import { Fork } from "../sandbox/fork.ts";
import { deliverComment } from "./deliver.ts";
import { eventually } from "./eventually.ts";
import { redeliver } from "./redeliver.ts";
import { Stage } from "./stage.ts";
import type { StageOptions } from "./stage-options.ts";

let stage: Stage;

/** Tests that never end, because the required check is never reported. */
const endless: StageOptions = { requiredChecks: null, queue: { requiredStatuses: ["never"] } };
const submitLabel = "trainyard:merge";
const unreviewed = { "facts/good.json": '{"sets":["unreviewed"]}\n' };
const alice = { login: "alice", id: 1, type: "User" } as const;

async function open(options: StageOptions = {}): Promise<Stage> {
  stage = await Stage.open({ ...endless, ...options });
  return stage;
}

afterEach(() => stage.close());

/** Waits for the next second, because GitHub's times are in whole seconds. */
const nextSecond = () => sleep(1_000 - (Date.now() % 1_000) + 5);

/** A refused label is answered before it is removed. */
async function untilUnlabelled(pr: number): Promise<void> {
  await eventually(
    async () => ((await stage.pull(pr)).labels.length === 0 ? true : null),
    `#${pr} to have no label`,
  );
}

/** The time of the last push. The pull request itself may change in a later second. */
async function lastPushAt(branch: string): Promise<Date> {
  const at = { owner: "acme", repo: "widgets", ref: `refs/heads/${branch}`, per_page: 1 };
  const { data } = await stage.octokit("alice").rest.repos.listActivities(at);
  return new Date(data[0]?.timestamp ?? Number.NaN);
}

/** Waits for a comment that matches `answer`, and checks that nothing is queued. */
async function refuses(pr: number, answer: RegExp): Promise<void> {
  await eventually(async () => {
    const queued = await stage.look(pr);
    if (queued) throw new Error(`#${pr} was queued at ${queued.prSha}`);
    const [comment = ""] = await stage.ourComments(pr);
    return answer.test(comment) ? comment : null;
  }, `a comment on #${pr} like ${answer}`);
}

describe("a push after a command whose webhook was lost is not admitted", () => {
  test("by a label", async () => {
    await open();
    const pr = await stage.openPullRequest("good");
    await stage.stopService();
    await stage.label(pr, submitLabel, "bob");
    await nextSecond();
    await stage.push("good", unreviewed);
    await stage.startService();
    await refuses(
      pr,
      /comment `\/trainyard merge [0-9a-f]{40}`\. \(`PUSHED_SINCE`\) The label `trainyard:merge` was removed again/,
    );
    await untilUnlabelled(pr);
  });

  test("by a comment", async () => {
    await open();
    await stage.stopService();
    const pr = await stage.openPullRequest("good", undefined, { settle: false });
    const comment = await stage.comment(pr, "/trainyard merge", "bob");
    await nextSecond();
    await stage.push("good", unreviewed);
    await stage.startService();
    await refuses(pr, /\(`PUSHED_SINCE`\)/);
    expect(await stage.untilReacted(comment)).toBe("confused");
  });

  test("by a comment, even when an earlier head is pushed back", async () => {
    await open();
    const pr = await stage.openPullRequest("good");
    const { head: bad } = await stage.pull(pr);
    await nextSecond();
    await stage.stopService();
    await stage.push("good", { "facts/good.json": '{"mended":true}\n' });
    await nextSecond();
    await stage.comment(pr, "/trainyard merge", "bob");
    await nextSecond();
    const at = { owner: "acme", repo: "widgets", ref: "heads/good" };
    await stage.octokit("alice").rest.git.updateRef({ ...at, sha: bad.sha, force: true });
    await stage.startService();
    await refuses(pr, /\(`PUSHED_SINCE`\)/);
  });

  test("by a comment that is redelivered when the service is back", async () => {
    await open({ environment: { TRAINYARD_COMMANDS: "elsewhere" } });
    await stage.stopService();
    const pr = await stage.openPullRequest("good", undefined, { settle: false });
    await stage.comment(pr, "/trainyard merge", "bob");
    await nextSecond();
    await stage.push("good", unreviewed);
    await stage.startService();
    await redeliver(stage.sandbox, "issue_comment", "created");
    await refuses(pr, /\(`PUSHED_SINCE`\)/);
  });
});

describe("a head from before a command whose webhook was lost is admitted", () => {
  test("by a label", async () => {
    await open();
    const pr = await stage.openPullRequest("good");
    await nextSecond();
    await stage.stopService();
    await stage.push("good", { "facts/good.json": '{"reviewed":true}\n' });
    await nextSecond();
    await stage.label(pr, submitLabel, "bob");
    await stage.startService();
    const { prSha } = await stage.until(pr, "testing");
    expect(prSha).toBe((await stage.pull(pr)).head.sha);
  });

  test("by a comment on a pull request that was opened in the meantime", async () => {
    await open();
    await stage.stopService();
    const pr = await stage.openPullRequest("good", undefined, { settle: false });
    const comment = await stage.comment(pr, "/trainyard merge", "bob");
    await stage.startService();
    await stage.until(pr, "testing");
    expect(await stage.untilReacted(comment)).toBe("+1");
  });

  test("by a label's webhook that names it and is redelivered", async () => {
    await open({ environment: { TRAINYARD_COMMANDS: "elsewhere" } });
    const pr = await stage.openPullRequest("good");
    await stage.stopService();
    await stage.label(pr, submitLabel, "bob");
    await stage.startService();
    await redeliver(stage.sandbox, "pull_request", "labeled");
    await stage.until(pr, "testing");
  });
});

test("a refused head is admitted by a new comment, with or without its name", async () => {
  await open();
  await stage.stopService();
  const [one, two] = [
    await stage.openPullRequest("one", undefined, { settle: false }),
    await stage.openPullRequest("two", undefined, { settle: false }),
  ];
  for (const pr of [one, two]) await stage.comment(pr, "/trainyard merge", "bob");
  await nextSecond();
  for (const name of ["one", "two"]) await stage.push(name, unreviewed);
  await stage.startService();
  for (const pr of [one, two]) await refuses(pr, /\(`PUSHED_SINCE`\)/);
  await nextSecond();
  await stage.comment(one, `/trainyard merge ${(await stage.pull(one)).head.sha.slice(0, 12)}`, "bob");
  await stage.comment(two, "/trainyard merge", "bob");
  for (const pr of [one, two]) await stage.until(pr, "testing");
});

test("a comment does not admit a head that someone else pushed in the same second", async () => {
  await open();
  const pr = await stage.openPullRequest("good");
  await nextSecond();
  await stage.push("good", unreviewed);
  await stage.untilHandled();
  const createdAt = await lastPushAt("good");
  await deliverComment(stage, pr, "/trainyard merge", { ...alice, login: "bob" }, { createdAt });
  await refuses(pr, /\(`HEAD_NOT_PROVEN`\)/);
  await deliverComment(stage, pr, "/trainyard merge", alice, { createdAt });
  await stage.until(pr, "testing");
});

describe("a fork", () => {
  async function openFork() {
    await open();
    const fork = await Fork.of(stage.sandbox, "carol", stage.octokit("carol"));
    const { pull, sha } = await fork.openPull("good");
    await stage.untilHandled();
    return { fork, pr: pull.number, sha };
  }

  test("is not admitted by a label that was found later, nor is a push after it", async () => {
    const { fork, pr, sha } = await openFork();
    await stage.stopService();
    await stage.label(pr, submitLabel, "bob");
    await nextSecond();
    await fork.push("good", await fork.commit(sha, "unreviewed.txt"));
    await stage.startService();
    await refuses(pr, /\(`FORK_NEEDS_SHA`\) The label/);
    await untilUnlabelled(pr);
  });

  test("is not admitted by a label", async () => {
    const { pr } = await openFork();
    await stage.label(pr, submitLabel, "bob");
    await refuses(pr, /\(`FORK_NEEDS_SHA`\) The label/);
  });

  test("is admitted by a comment that was found later and names its current head", async () => {
    const { pr, sha } = await openFork();
    await stage.stopService();
    await stage.comment(pr, `/trainyard merge ${sha}`, "bob");
    await stage.startService();
    await stage.until(pr, "testing");
  });
});
