import { afterEach, describe, expect, test } from "@jest/globals";
import { deliverComment, deliverLabel } from "./deliver.ts";
import { eventually } from "./eventually.ts";
import { GitHubProxy } from "./github-proxy.ts";
import { Stage } from "./stage.ts";
import type { StageOptions } from "./stage-options.ts";

let stage: Stage;
let proxy: GitHubProxy | null = null;

/** Tests that never end, because the required check is never reported. */
const endless: StageOptions = { requiredChecks: null, queue: { requiredStatuses: ["never"] } };

async function open(options: StageOptions = {}): Promise<Stage> {
  stage = await Stage.open({
    ...endless,
    ...options,
    through: async (url) => {
      proxy = await GitHubProxy.start(url);
      return proxy.host;
    },
  });
  return stage;
}

/** Writes `.github/trainyard.yml` on main. */
async function configure(text: string): Promise<void> {
  await stage.pushToMain({ ".github/trainyard.yml": text });
  await stage.untilHandled();
}

/** Makes GitHub show the heads of all pull requests in another repository. */
function showForks(): void {
  proxy?.rewrite("GET", /\/pulls\/\d+$/, (body) => {
    const pull = JSON.parse(body);
    return JSON.stringify({ ...pull, head: { ...pull.head, repo: { ...pull.head.repo, id: 424_242 } } });
  });
  proxy?.rewrite("POST", /\/graphql$/, (body) =>
    body.replaceAll('"isCrossRepository":false', '"isCrossRepository":true'),
  );
}

const renovate = { login: "renovate[bot]", id: 29_139_614, type: "Bot" } as const;

afterEach(async () => {
  await stage.close();
  await proxy?.close();
  proxy = null;
});

async function refuses(pr: number, answer: RegExp): Promise<void> {
  await stage.untilCommented(pr, answer);
  expect(await stage.look(pr)).toBeNull();
}

describe("a submission is refused with an explanation when it is by", () => {
  test("a user with read access", async () => {
    await open();
    const pr = await stage.openPullRequest("good");
    await stage.comment(pr, "/trainyard merge", "carol");
    await refuses(pr, /@carol has `read` .* needs `write`\. Ask .* \(`PERMISSION_TOO_LOW`\)/);
  });

  test("a user with write access and the repository requires more", async () => {
    await open();
    await configure("permission: admin\n");
    const pr = await stage.openPullRequest("good");
    await stage.comment(pr, "/trainyard merge", "alice");
    await refuses(pr, /needs `admin` by \.github\/trainyard\.yml/);
    await stage.comment(pr, "/trainyard merge", "admin");
    await stage.until(pr, "testing");
  });

  test("a comment that is read only after someone else has pushed", async () => {
    await open();
    const pr = await stage.openPullRequest("good");
    proxy?.beforeNext("GET", /\/collaborators\/bob\/permission/, () =>
      stage.push("good", { "facts/good.json": '{"sets":["sneaked"]}\n' }),
    );
    await stage.comment(pr, "/trainyard merge", "bob");
    await refuses(
      pr,
      /Review what was pushed, then name the present head \(in a comment: `\/trainyard merge [0-9a-f]{40}`\)\. \(`HEAD_MISMATCH`\)/,
    );
  });

  test("a comment that was written before a push and arrives after it", async () => {
    await open();
    const pr = await stage.openPullRequest("good");
    const alice = { login: "alice", id: 1, type: "User" } as const;
    await deliverComment(stage, pr, "/trainyard merge", alice, { createdAt: new Date(Date.now() - 60_000) });
    await refuses(pr, /New commits were pushed to #\d+ after the command.*\(`PUSHED_SINCE`\)/);
  });

  test("an edit that adds a command to a comment", async () => {
    await open();
    const pr = await stage.openPullRequest("good");
    const comment_id = await stage.comment(pr, "Looks good!");
    const at = { owner: "acme", repo: "widgets", comment_id };
    await stage.octokit("admin").rest.issues.updateComment({ ...at, body: "/trainyard merge" });
    await refuses(pr, /Edited comments are ignored.*\(`COMMENT_EDITED`\)/);
    expect(await stage.untilReacted(comment_id)).toBe("confused");
  });

  test("a command in a list", async () => {
    await open();
    const pr = await stage.openPullRequest("good");
    const comment = await stage.comment(pr, "- /trainyard merge\n\nIs that what one writes?");
    await refuses(pr, /stands on its own line, .* outside quotes, lists and code\..* \(`NOT_PLAIN_TEXT`\)/);
    expect(await stage.untilReacted(comment)).toBe("confused");
  });

  test("a label of an unlisted bot, which cannot dequeue a labelled pull request either", async () => {
    await open();
    const [good, better] = [await stage.openPullRequest("good"), await stage.openPullRequest("better")];
    await deliverLabel(stage, good, "labeled", "trainyard:merge", renovate);
    await refuses(good, /`BOT_NOT_LISTED`\) The label `trainyard:merge` was removed again/);
    await stage.label(better, "trainyard:merge");
    await stage.until(better, "testing");
    await deliverLabel(stage, better, "unlabeled", "trainyard:merge", renovate);
    await stage.untilCommented(better, /`BOT_NOT_LISTED`/);
    await stage.until(better, "testing");
  });

  test("an unlisted bot", async () => {
    await open();
    const pr = await stage.openPullRequest("good");
    await deliverComment(stage, pr, "/trainyard merge", renovate);
    await refuses(
      pr,
      /renovate\[bot\] is a bot\. .* `bots: \[29139614\]`, or .*`allowedBotSubmitters` of the queue\. \(`BOT_NOT_LISTED`\)/,
    );
  });

  test("a bot with the name of a listed bot", async () => {
    await open();
    await configure(`bots: [${renovate.id}]\n`);
    const pr = await stage.openPullRequest("good");
    await deliverComment(stage, pr, "/trainyard merge", { ...renovate, id: 5 });
    await refuses(pr, /`BOT_NOT_LISTED`/);
  });

  test("a command for a fork that does not name the head", async () => {
    await open();
    showForks();
    const pr = await stage.openPullRequest("good");
    await stage.comment(pr, "/trainyard merge");
    await refuses(pr, /comes from a fork, .* name it with all digits in a comment.*\(`FORK_NEEDS_SHA`\)/);
  });

  test("a command for a fork and the repository denies forks", async () => {
    await open();
    await configure("forks: deny\n");
    showForks();
    const pr = await stage.openPullRequest("good");
    const { head } = await stage.pull(pr);
    await stage.comment(pr, `/trainyard merge ${head.sha}`, "admin");
    await refuses(pr, /`forks: deny` .* Push its commits to a branch.*\(`FORKS_DENIED`\)/);
  });

  test("a command for a fork that changes a workflow, except by an administrator", async () => {
    await open();
    showForks();
    const pr = await stage.openPullRequest("good", { ".github/workflows/ci.yml": "on: push\n" });
    const { head } = await stage.pull(pr);
    await stage.comment(pr, `/trainyard merge ${head.sha}`);
    await refuses(pr, /changes `\.github\/workflows`.*\(`FORK_CHANGES_WORKFLOWS`\)/);
    await stage.comment(pr, `/trainyard merge ${head.sha}`, "admin");
    await stage.until(pr, "testing");
  });

  test("any user while the repository file is invalid", async () => {
    await open();
    await configure("fork: deny\n");
    const pr = await stage.openPullRequest("good");
    await stage.comment(pr, "/trainyard merge");
    await refuses(pr, /line 1: fork is unknown; did you mean forks\?.*\(`REPOSITORY_FILE_INVALID`\)/);
    await configure("forks: deny\n");
    await eventually(
      async () => (await stage.untilReacted(await stage.comment(pr, "/trainyard merge"))) === "+1" || null,
      "the webhook of the push to have been handled",
    );
    await stage.until(pr, "testing");
  });
});

test("changes of the repository file in a pull request do not apply to that pull request", async () => {
  await open();
  await configure("permission: admin\n");
  const pr = await stage.openPullRequest("good", { ".github/trainyard.yml": "permission: write\n" });
  await stage.comment(pr, "/trainyard merge", "alice");
  await refuses(pr, /needs `admin` by/);
});

test("a bot that is listed by its id can submit, but not change the queue's state", async () => {
  await open();
  await configure(`bots: [${renovate.id}]\n`);
  const pr = await stage.openPullRequest("good");
  await deliverComment(stage, pr, "/trainyard merge\n/trainyard pause", renovate);
  await stage.until(pr, "testing");
  await stage.untilCommented(pr, /changing the queue's state needs `admin`/);
  expect(await stage.client.getQueue(stage.queue)).toMatchObject({ state: "running" });
});

test.each([
  ["login", "Renovate"],
  ["login as GitHub writes it", "renovate[bot]"],
  ["id", String(renovate.id)],
])("a bot that the queue's settings list by its %s can submit", async (_how, listed) => {
  await open();
  await stage.client.updateQueue({ ...stage.queue, allowedBotSubmitters: [listed] });
  const pr = await stage.openPullRequest("good");
  await deliverComment(stage, pr, "/trainyard merge", renovate);
  await stage.until(pr, "testing");
});

test("bots and tokens may submit the same head again as often as the repository file says, then a person has to", async () => {
  await open();
  await configure(`bots: [${renovate.id}]\nrequeuesByBots: 1\n`);
  const pr = await stage.openPullRequest("good");
  const about = { ...stage.queue, pr: { number: pr } };
  const submit = () => stage.client.submitPullRequest(about);
  const cancel = () => stage.client.cancelPullRequest(about);
  expect(await submit()).toMatchObject({ alreadyQueued: false });
  expect(await submit()).toMatchObject({ alreadyQueued: true, isCurrentlySubmittedToQueue: true });
  await cancel();
  expect(await submit()).toMatchObject({ alreadyQueued: false });
  await cancel();
  await expect(submit()).rejects.toMatchObject({ status: 409, code: "REQUEUE_NEEDS_PERSON" });
  await stage.comment(pr, "/trainyard merge");
  await stage.until(pr, "testing");
  await cancel();
  expect(await submit()).toMatchObject({ alreadyQueued: false });
  await cancel();
  await deliverComment(stage, pr, "/trainyard merge", renovate);
  await stage.untilCommented(
    pr,
    /`requeuesByBots: 1` .* have a person submit it.*\(`REQUEUE_NEEDS_PERSON`\)/,
  );
  expect(await stage.look(pr)).toMatchObject({ state: "cancelled" });
});

test("a user with the name of a listed bot gets no additional permission", async () => {
  await open();
  await stage.client.updateQueue({ ...stage.queue, allowedBotSubmitters: ["carol"] });
  const pr = await stage.openPullRequest("good");
  await stage.comment(pr, "/trainyard merge", "carol");
  await refuses(pr, /@carol has `read` permission/);
});

test("comments by the App itself are not commands", async () => {
  await open();
  const pr = await stage.openPullRequest("good");
  const ourselves = { login: "trainyard[bot]", id: 7, type: "Bot" } as const;
  await deliverComment(stage, pr, "/trainyard merge", ourselves, { viaAppId: stage.sandbox.app.id });
  // Deliveries about one pull request are handled in order.
  await stage.comment(pr, "/trainyard status");
  await refuses(pr, /^(?![\s\S]*BOT_NOT_LISTED)[\s\S]*is not in the queue/);
});

test("an edit that changes no command is not answered and repeats no command", async () => {
  await open();
  const pr = await stage.openPullRequest("good");
  const comment_id = await stage.comment(pr, "/trainyard merge");
  await stage.until(pr, "testing");
  await stage.comment(pr, "/trainyard cancel");
  await stage.until(pr, "cancelled");
  const at = { owner: "acme", repo: "widgets", comment_id };
  await stage.octokit("alice").rest.issues.updateComment({ ...at, body: "/trainyard merge\n\nThanks." });
  await stage.comment(pr, "/trainyard status");
  await stage.untilCommented(pr, /\*\*Cancelled\*\* in the queue/);
});
