import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { commitOn, tipOf } from "../sandbox/commit-on-branch.ts";
import { eventually } from "./eventually.ts";
import { Gate } from "./gate.ts";
import { GitHubProxy } from "./github-proxy.ts";
import { Stage } from "./stage.ts";

let stage: Stage;
let proxy: GitHubProxy;
let gate: Gate;
const renovate = 29_139_614;

/** What bob pushes is shown as a push of the bot. */
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
  proxy.rewrite("GET", /\/activity/, (body) =>
    JSON.stringify(
      JSON.parse(body).map((one: { actor: { login: string } }) =>
        one.actor.login === "bob"
          ? { ...one, actor: { ...one.actor, login: "renovate[bot]", id: renovate, type: "Bot" } }
          : one,
      ),
    ),
  );
  await stage.pushToMain({ ".github/trainyard.yml": `rebasingBots: [${renovate}]\n` });
  await stage.sandbox.settled();
});

afterEach(async () => {
  gate.open();
  await stage.close();
  await proxy.close();
});

/** Pushes the pull request's file on top of main. */
async function rebase(name: string, content: string, by = "bob"): Promise<string> {
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
    ["changed", '{"more":true}\n', "bob"],
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
