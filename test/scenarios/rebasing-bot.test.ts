import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { commitOn, tipOf } from "../sandbox/commit-on-branch.ts";
import { eventually } from "./eventually.ts";
import { Gate } from "./gate.ts";
import { GitHubProxy } from "./github-proxy.ts";
import { Stage } from "./stage.ts";

let stage: Stage;
let proxy: GitHubProxy;
let gate: Gate;
const renovate = "renovate[bot]";
const dependabot = "dependabot[bot]";
const ids = { [renovate]: 29_139_614, [dependabot]: 49_699_333 };

beforeEach(async () => {
  gate = new Gate();
  gate.open();
  stage = await Stage.open({
    ci: { lastStep: (job) => gate.lastStep(job) },
    queue: { policy: "fixed", batch: false, concurrency: 2, mergeMethod: "squash" },
    through: async (url) => {
      proxy = await GitHubProxy.start(url);
      return proxy.host;
    },
  });
  for (const [login, id] of Object.entries(ids)) stage.addUser(login, id);
  await configure(`rebasingBots: [${ids[renovate]}]\n`);
});

afterEach(async () => {
  gate.open();
  await stage.close();
  await proxy.close();
});

async function configure(file: string): Promise<void> {
  await stage.pushToMain({ ".github/trainyard.yml": file });
  await stage.untilHandled();
}

/** Pushes the pull request's file on top of main. */
async function rebase(name: string, content: string, by = renovate): Promise<string> {
  const octokit = stage.octokit(by);
  const sha = await commitOn(octokit, await tipOf(octokit, "main"), { [`facts/${name}.json`]: content });
  const at = { owner: "acme", repo: "widgets" };
  await octokit.rest.git.updateRef({ ...at, ref: `heads/${name}`, sha, force: true });
  return sha;
}

test("pull requests that a listed bot rebases whenever main moves all merge, and none leaves the queue", async () => {
  const names = ["one", "two", "three"];
  const prs = new Map<string, number>();
  for (const name of names) prs.set(name, await stage.openPullRequest(name));
  for (const pr of prs.values()) await stage.comment(pr, "/trainyard merge");
  let tip = await tipOf(stage.octokit("bob"), "main");
  const open = new Set(names);
  while (open.size > 0) {
    const seen = tip;
    tip = await eventually(
      async () => {
        const now = await tipOf(stage.octokit("bob"), "main");
        return now === seen ? null : now;
      },
      `main to move from ${seen} while ${[...open]} are open`,
    );
    for (const name of open) {
      if ((await stage.pull(prs.get(name) ?? 0)).merged) open.delete(name);
      else await rebase(name, "{}\n");
    }
  }
  for (const pr of prs.values()) await stage.until(pr, "merged");
});

test("a push of a listed bot that changes the patch takes the pull request out, and so does anybody else's rebase", async () => {
  await stage.client.updateQueue({ ...stage.queue, state: "paused" });
  for (const [name, content, by] of [
    ["changed", '{"more":true}\n', renovate],
    ["foreign", "{}\n", "alice"],
  ] as const) {
    const pr = await stage.openPullRequest(name);
    await stage.comment(pr, "/trainyard merge");
    await stage.until(pr, "pending");
    await stage.pushToMain({ [`${name}.txt`]: "main moves\n" });
    await rebase(name, content, by);
    expect(await stage.until(pr, "cancelled")).toMatchObject({ reason: "PUSHED_TO" });
  }
});

/** Two pull requests whose tests have not ended. */
async function underTest(): Promise<[one: number, two: number]> {
  gate = new Gate();
  const prs: [number, number] = [await stage.openPullRequest("one"), await stage.openPullRequest("two")];
  for (const pr of prs) await stage.comment(pr, "/trainyard merge");
  for (const pr of prs) await stage.until(pr, "testing");
  return prs;
}

test("a push of a listed bot that GitHub cannot compare takes the pull request out, and holds up no others", async () => {
  const [one, two] = await underTest();
  const operation = "repos/compare-commits-with-basehead";
  stage.sandbox.faults.next({ operation, kind: "500", side: "before", count: 1_000 });
  await rebase("one", "{}\n");
  gate.open();
  expect(await stage.until(one, "cancelled")).toMatchObject({ reason: "PUSHED_TO" });
  await stage.until(two, "merged");
});

test("a rebase that is first seen just before the merge keeps the place, although GitHub does not name the bot yet", async () => {
  const [one, two] = await underTest();
  stage.sandbox.setWebhookUrl(null);
  proxy.rewrite("GET", /\/activity/, () => "[]", { times: 2 });
  await rebase("one", "{}\n");
  stage.sandbox.setWebhookUrl(`${stage.url}/api/github/webhooks`);
  gate.open();
  await stage.until(one, "merged");
  await stage.until(two, "merged");
});

test("labels of Dependabot submit its pull requests if it is listed, and its rebases keep their places", async () => {
  await configure(`bots: [${ids[dependabot]}]\nrebasingBots: [${ids[dependabot]}]\n`);
  const prs: number[] = [];
  for (const name of ["one", "two"])
    prs.push(await stage.openPullRequest(name, undefined, { by: dependabot, title: `Bump ${name} to 2` }));
  gate = new Gate();
  for (const pr of prs) await stage.label(pr, "trainyard:merge", dependabot);
  for (const pr of prs)
    expect(await stage.until(pr, "testing")).toMatchObject({
      submittedVia: "label",
      submittedBy: dependabot,
    });
  await stage.pushToMain({ "moved.txt": "main moves\n" });
  for (const name of ["one", "two"]) await rebase(name, "{}\n", dependabot);
  await stage.comment(prs[0] ?? 0, "@dependabot rebase");
  gate.open();
  for (const pr of prs) await stage.until(pr, "merged");
  await stage.untilCommented(prs[0] ?? 0, /Merged/);
  const said = stage.sandbox.toldOn("acme/widgets", prs[0] ?? 0).map(({ by, body }) => [by, body]);
  expect(said.filter(([by]) => by !== "alice")).toEqual([
    [expect.stringMatching(/\[bot\]$/), expect.stringMatching(/Merged/)],
  ]);
});

test("a rebase of an unlisted Dependabot takes the pull request out, and a comment tells the person who submitted it", async () => {
  const pr = await stage.openPullRequest("one", undefined, { by: dependabot });
  await stage.label(pr, "trainyard:merge", dependabot);
  await stage.untilCommented(pr, /dependabot\[bot\] is a bot\..* `bots: \[49699333\]`.*\(`BOT_NOT_LISTED`\)/);
  gate = new Gate();
  await stage.comment(pr, "/trainyard merge");
  await stage.until(pr, "testing");
  await stage.pushToMain({ "moved.txt": "main moves\n" });
  await rebase("one", "{}\n", dependabot);
  expect(await stage.until(pr, "cancelled")).toMatchObject({ reason: "PUSHED_TO" });
  const told = await eventually(async () => {
    const found = stage.sandbox.toldOn("acme/widgets", pr).find(({ mentioned }) => mentioned.length > 0);
    return found ?? null;
  }, "a comment that mentions somebody");
  expect(told.mentioned).toEqual(["alice"]);
  expect(told.body).toMatch(/pushed/);
});
