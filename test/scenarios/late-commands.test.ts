import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, test } from "@jest/globals";
import { createAppAuth } from "@octokit/auth-app";
import { Octokit } from "@octokit/rest";
import { Fork } from "../sandbox/fork.ts";
import { deliverComment } from "./deliver.ts";
import { eventually, Stage, type StageOptions } from "./stage.ts";

let stage: Stage;

/** Tests that never end: nobody reports what is required. */
const endless: StageOptions = { requiredChecks: null, queue: { requiredStatuses: ["never"] } };
const submitLabel = "trainyard:merge";
const unreviewed = { "facts/good.json": '{"sets":["unreviewed"]}\n' };
const alice = { login: "alice", id: 1, type: "User" } as const;

async function open(options: StageOptions = {}): Promise<Stage> {
  stage = await Stage.open({ ...endless, ...options });
  return stage;
}

afterEach(() => stage.close());

/** GitHub tells times in whole seconds. */
const nextSecond = () => sleep(1_000 - (Date.now() % 1_000) + 5);

async function labelsOf(pr: number): Promise<string[]> {
  return (await stage.pull(pr)).labels.map(({ name }) => name ?? "");
}

/** The pull request itself may change later, in another second. */
async function lastPushAt(branch: string): Promise<Date> {
  const at = { owner: "acme", repo: "widgets", ref: `refs/heads/${branch}`, per_page: 1 };
  const { data } = await stage.octokit("alice").rest.repos.listActivities(at);
  return new Date(data[0]?.timestamp ?? Number.NaN);
}

/** Nothing was queued: `answer` says why. */
async function refuses(pr: number, answer: RegExp): Promise<void> {
  await eventually(async () => {
    const queued = await stage.look(pr);
    if (queued) throw new Error(`#${pr} was queued at ${queued.prSha}`);
    const [comment = ""] = await stage.ourComments(pr);
    return answer.test(comment) ? comment : null;
  }, `a comment on #${pr} like ${answer}`);
}

/** What the failed deliveries of an event were, brought again as the App may ask for. */
async function redeliver(event: string, action: string): Promise<void> {
  await stage.sandbox.settled();
  const { id: appId, privateKey } = stage.sandbox.app;
  const auth = { appId, privateKey };
  const app = new Octokit({ baseUrl: `${stage.sandbox.url}/api/v3`, authStrategy: createAppAuth, auth });
  const failed = stage.sandbox.deliveries.filter(
    (one) => !one.succeeded && one.event === event && one.action === action,
  );
  expect(failed).toHaveLength(1);
  for (const { id } of failed) await app.rest.apps.redeliverWebhookDelivery({ delivery_id: id });
}

describe("a command whose webhook found nobody does not admit what was pushed after it:", () => {
  test("a label", async () => {
    await open();
    const pr = await stage.openPullRequest("good");
    await stage.stopService();
    await stage.label(pr, submitLabel, "bob");
    await nextSecond();
    await stage.push("good", unreviewed);
    await stage.startService();
    await refuses(
      pr,
      /comment `\/trainyard merge [0-9a-f]{10}`\. \(`PUSHED_SINCE`\) So the label `trainyard:merge` was taken off/,
    );
    expect(await labelsOf(pr)).toEqual([]);
  });

  test("a comment", async () => {
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

  test("a comment, where the head from before it is pushed back", async () => {
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

  test("a comment that is delivered again when the service is back", async () => {
    await open({ environment: { TRAINYARD_COMMANDS: "elsewhere" } });
    await stage.stopService();
    const pr = await stage.openPullRequest("good", undefined, { settle: false });
    await stage.comment(pr, "/trainyard merge", "bob");
    await nextSecond();
    await stage.push("good", unreviewed);
    await stage.startService();
    await redeliver("issue_comment", "created");
    await refuses(pr, /\(`PUSHED_SINCE`\)/);
  });
});

describe("a command whose webhook found nobody admits the head that was there before it:", () => {
  test("a label's", async () => {
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

  test("a comment's, of a pull request that was opened meanwhile", async () => {
    await open();
    await stage.stopService();
    const pr = await stage.openPullRequest("good", undefined, { settle: false });
    const comment = await stage.comment(pr, "/trainyard merge", "bob");
    await stage.startService();
    await stage.until(pr, "testing");
    expect(await stage.untilReacted(comment)).toBe("+1");
  });

  test("the head that a label's own webhook names, when that is delivered again", async () => {
    await open({ environment: { TRAINYARD_COMMANDS: "elsewhere" } });
    const pr = await stage.openPullRequest("good");
    await stage.stopService();
    await stage.label(pr, submitLabel, "bob");
    await stage.startService();
    await redeliver("pull_request", "labeled");
    await stage.until(pr, "testing");
  });
});

test("after a refusal, a comment that names the head admits it, and so does a comment without", async () => {
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
  await stage.until(one, "testing");
  await eventually(async () => ((await stage.look(two))?.state === "pending" ? true : null), "#2 to wait");
});

test("a comment that comes at once does not admit a head that somebody else pushed in the same second", async () => {
  await open();
  const pr = await stage.openPullRequest("good");
  await nextSecond();
  await stage.push("good", unreviewed);
  await stage.sandbox.settled();
  const createdAt = await lastPushAt("good");
  await deliverComment(stage, pr, "/trainyard merge", { ...alice, login: "bob" }, { createdAt });
  await refuses(pr, /\(`HEAD_NOT_PROVEN`\)/);
  await deliverComment(stage, pr, "/trainyard merge", alice, { createdAt });
  await stage.until(pr, "testing");
});

describe("a fork is admitted only by a comment that names the head:", () => {
  async function openFork() {
    await open();
    const fork = await Fork.of(stage.sandbox, "carol", stage.octokit("carol"));
    const { pull, sha } = await fork.openPull("good");
    await stage.sandbox.settled();
    return { fork, pr: pull.number, sha };
  }

  test("not by a label that was found, whatever is pushed after it", async () => {
    const { fork, pr, sha } = await openFork();
    await stage.stopService();
    await stage.label(pr, submitLabel, "bob");
    await nextSecond();
    await fork.push("good", await fork.commit(sha, "unreviewed.txt"));
    await stage.startService();
    await refuses(pr, /\(`FORK_NEEDS_SHA`\) So the label/);
    expect(await labelsOf(pr)).toEqual([]);
  });

  test("not by a label that comes at once", async () => {
    const { pr } = await openFork();
    await stage.label(pr, submitLabel, "bob");
    await refuses(pr, /\(`FORK_NEEDS_SHA`\) So the label/);
  });

  test("by a comment that was found, and names what is still the head", async () => {
    const { pr, sha } = await openFork();
    await stage.stopService();
    await stage.comment(pr, `/trainyard merge ${sha}`, "bob");
    await stage.startService();
    await stage.until(pr, "testing");
  });
});
