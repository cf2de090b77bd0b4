import { spawnSync } from "node:child_process";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { commitOn, tipOf } from "../sandbox/commit-on-branch.ts";
import { Fork } from "../sandbox/fork.ts";
import { Gate } from "./gate.ts";
import { Stage } from "./stage.ts";
import type { StageOptions } from "./stage-options.ts";
import { variants } from "./variants.ts";

let stage: Stage;
let gate: Gate;

beforeEach(() => {
  gate = new Gate();
  gate.open();
});

afterEach(async () => {
  gate.open();
  await stage.close();
});

const at = { owner: "acme", repo: "widgets" };

const template = `commitTitle: "{title} [{number}] by {author}"
commitMessage: |
  {body}

  {commits}
  See {url}
`;

async function open(queue: StageOptions["queue"] = {}, file = template): Promise<void> {
  const files = { "README.md": "# Widgets\n", "facts/base.json": "{}\n", ".github/trainyard.yml": file };
  stage = await Stage.open({ queue, repository: { files }, ci: { lastStep: (job) => gate.lastStep(job) } });
}

/** Opens a pull request with a body. Bob adds a commit to it. */
async function openByTwo(): Promise<number> {
  const pr = await stage.openPullRequest("one", undefined, { settle: false });
  await stage.octokit("alice").rest.pulls.update({ ...at, pull_number: pr, body: "Why: $& because.\r\n" });
  const bob = stage.octokit("bob");
  const message = "More of it\n\nSigned-off-by: Bob <bob@example.com>";
  const sha = await commitOn(bob, await tipOf(bob, "one"), { "facts/more.json": "{}\n" }, message);
  await bob.rest.git.updateRef({ ...at, ref: "heads/one", sha });
  await stage.untilHandled();
  return pr;
}

const mainMessage = async () => (await stage.branch("main")).commit.commit.message;

async function merge(pr: number): Promise<string> {
  await stage.client.submitPullRequest({ ...stage.queue, pr: { number: pr } });
  await stage.until(pr, "merged");
  return mainMessage();
}

const said = (pr: number) =>
  `Add one [${pr}] by alice\n\nWhy: $& because.\n\n* Add one\n* More of it\nSee ${stage.sandbox.url}/acme/widgets/pull/${pr}`;

test("a squash has the title and message of the repository's template, its co-authors and sign-offs", async () => {
  await open();
  const pr = await openByTwo();
  const message = await merge(pr);
  expect(message.startsWith(`${said(pr)}\n\n`)).toBe(true);
  const trailers = message.slice(said(pr).length + 2).split("\n");
  expect(trailers).toEqual([
    expect.stringMatching(/^Co-authored-by: bob <\d+\+bob@users\.noreply\.github\.com>$/),
    "Signed-off-by: Bob <bob@example.com>",
  ]);
});

test.each(variants(["squash", "merge_commit"]))(
  "with %s, the trailers of a long description form one block with the others below the template's text",
  async (mergeMethod) => {
    await open({ mergeMethod }, "commitMessage: |\n  {body}\n\n  ---\n  See {url}\n");
    const pr = await openByTwo();
    const paragraphs = [
      "Note: it is long",
      "Co-authored-by: Rob <BOB@example.com>\r\nCo-authored-by: Zoe <zoe@example.com>",
    ];
    const body = [...paragraphs, "Why. ".repeat(5_000), "Change-Id: I1"].join("\r\n\r\n");
    await stage.octokit("alice").rest.pulls.update({ ...at, pull_number: pr, body });
    const message = await merge(pr);
    expect(message).toMatch(/\n\nNote: it is long\n\nWhy[^\n]*…\n\n\*\*\*\nSee http\S+\n\nCo-authored-by/s);
    const read = spawnSync("git", ["interpret-trailers", "--parse"], { input: message });
    const trailers = read.stdout.toString().trim().split("\n");
    const squashed = [
      expect.stringMatching(/^Co-authored-by: bob </),
      "Signed-off-by: Bob <bob@example.com>",
    ];
    expect(trailers).toEqual([
      "Co-authored-by: Rob <BOB@example.com>",
      "Co-authored-by: Zoe <zoe@example.com>",
      "Change-Id: I1",
      ...(mergeMethod === "squash" ? squashed : []),
    ]);
    expect(message.length).toBeLessThan(20_100);
  },
);

test("a merge commit that was tested has the template's title and message", async () => {
  await open({ mergeMethod: "merge_commit" });
  const pr = await openByTwo();
  expect(await merge(pr)).toBe(said(pr));
});

test("the merged commit has the tested message, even when the pull request is edited in the meantime", async () => {
  await open({ mergeMethod: "squash" }, "commitMessage: '{body}'\n");
  const pr = await stage.openPullRequest("one");
  await stage.octokit("alice").rest.pulls.update({ ...at, pull_number: pr, body: "First." });
  gate = new Gate();
  await stage.client.submitPullRequest({ ...stage.queue, pr: { number: pr } });
  await stage.until(pr, "testing");
  await stage.octokit("alice").rest.pulls.update({ ...at, pull_number: pr, body: "Second." });
  gate.open();
  await stage.until(pr, "merged");
  expect(await mainMessage()).toBe(`Add one (#${pr})\n\nFirst.`);
});

test("a direct merge has the template's title, too", async () => {
  await open({ mergeMethod: "squash", directMergeMode: "always" }, "commitTitle: 'Direct {number}'\n");
  const pr = await stage.openPullRequest("one");
  expect(await merge(pr)).toMatch(new RegExp(`^Direct ${pr}`));
  expect((await stage.look(pr))?.reason).toBe("DIRECT_MERGED");
});

test.each(
  variants([
    ["merge_commit", (pr: number) => `Add one (#${pr})\n\nThe description.`],
    ["squash", (pr: number) => `Add one (#${pr})\n\nThe description.`],
  ] as const),
)("without templates, %s follows the repository's settings for messages", async (mergeMethod, told) => {
  const messages = {
    merge_commit_title: "PR_TITLE",
    merge_commit_message: "PR_BODY",
    squash_merge_commit_title: "PR_TITLE",
    squash_merge_commit_message: "PR_BODY",
  } as const;
  stage = await Stage.open({ queue: { mergeMethod }, repository: { messages } });
  const pr = await stage.openPullRequest("one", undefined, { body: "The description." });
  await stage.push("one", { "facts/two.json": "{}\n" });
  expect(await merge(pr)).toBe(told(pr));
});

test("the default message of a merge commit names the owner of the fork that the pull request comes from", async () => {
  stage = await Stage.open({ queue: { mergeMethod: "merge_commit" } });
  const fork = await Fork.of(stage.sandbox, "carol", stage.octokit("carol"));
  const sha = await fork.commit((await stage.branch("main")).commit.sha, "one.txt");
  const { pull } = await fork.openPull("topic", sha);
  await stage.comment(pull.number, `/trainyard merge ${sha}`);
  await stage.until(pull.number, "merged");
  expect(await mainMessage()).toBe(`Merge pull request #${pull.number} from carol/topic\n\n${pull.title}`);
});
