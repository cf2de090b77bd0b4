import { afterEach, expect, test } from "@jest/globals";
import { Fork } from "../sandbox/fork.ts";
import { eventually } from "./eventually.ts";
import { Gate } from "./gate.ts";
import { GitHubProxy } from "./github-proxy.ts";
import { Stage } from "./stage.ts";
import type { StageOptions } from "./stage-options.ts";

let stage: Stage;
let gate: Gate;
let proxy: GitHubProxy | null = null;

afterEach(async () => {
  gate.open();
  await stage.close();
  await proxy?.close();
  proxy = null;
});

async function through(url: string): Promise<string> {
  proxy = await GitHubProxy.start(url);
  return proxy.host;
}

/** A stage on which eve may push. */
async function open(options: StageOptions = {}): Promise<void> {
  gate = new Gate();
  stage = await Stage.open({
    ci: { lastStep: (job) => gate.lastStep(job) },
    queue: { policy: "fixed", batch: false },
    ...options,
  });
  stage.addUser("eve");
}

const toldOn = (pr: number) => stage.sandbox.toldOn("acme/widgets", pr);

test("pull requests of a deleted author are tested and merged, and a comment about a lost place mentions only the others", async () => {
  await open({ rules: { requiredReviews: 1 } });
  const [good, pushed] = [
    await stage.openPullRequest("good", undefined, { by: "eve" }),
    await stage.openPullRequest("pushed", undefined, { by: "eve" }),
  ];
  for (const pr of [good, pushed]) await stage.review(pr, "APPROVE");
  await stage.comment(good, "/trainyard merge", "eve");
  await stage.until(good, "testing");
  stage.sandbox.deleteUser("eve");
  await stage.comment(pushed, "/trainyard merge");
  await stage.until(pushed, "testing");
  await stage.push("pushed", { "facts/more.json": "{}\n" });
  await stage.until(pushed, "cancelled");
  gate.open();
  await stage.until(good, "merged");
  const told = await eventually(
    async () => toldOn(pushed).find(({ body }) => /@alice: /.test(body)) ?? null,
    "alice to be told",
  );
  expect(told.mentioned).toEqual(["alice"]);
  expect(told.body).not.toMatch(/@ghost/);
});

test("a pull request from a fork whose owner is deleted merges", async () => {
  await open({ queue: { mergeMethod: "merge_commit" } });
  gate.open();
  const fork = await Fork.of(stage.sandbox, "carol", stage.octokit("carol"));
  const { pull, sha } = await fork.openPull("topic");
  await stage.untilHandled();
  stage.sandbox.deleteUser("carol");
  await stage.comment(pull.number, `/trainyard merge ${sha}`);
  await stage.until(pull.number, "merged");
  expect((await stage.branch("main")).commit.commit.message).toMatch(
    /^Merge pull request #1 from ghost\/topic/,
  );
});

test("a command whose author is deleted before it is handled is refused, and holds up no later ones", async () => {
  await open({ through });
  gate.open();
  const pr = await stage.openPullRequest("one");
  proxy?.beforeNext("GET", /\/collaborators\/eve\/permission/, async () => stage.sandbox.deleteUser("eve"));
  const refused = await stage.comment(pr, "/trainyard merge", "eve");
  const allowed = await stage.comment(pr, "/trainyard merge");
  expect(await stage.untilReacted(refused)).toBe("confused");
  expect(await stage.untilReacted(allowed)).toBe("+1");
  await stage.until(pr, "merged");
});

test("a command whose author is deleted before it is found is refused, not taken for a bot's", async () => {
  await open({ environment: { TRAINYARD_RECONCILE_MS: "300" }, through });
  // GitHub mostly names `ghost`, and sometimes nobody.
  proxy?.rewrite("GET", /\/issues\/comments/, (body) =>
    JSON.stringify(
      JSON.parse(body).map((one: { user: { login: string } }) =>
        one.user.login === "ghost" ? { ...one, user: null } : one,
      ),
    ),
  );
  const pr = await stage.openPullRequest("one");
  stage.sandbox.setWebhookUrl(null);
  const mend = stage.sandbox.faults.next({
    operation: "issues/list-comments-for-repo",
    kind: "500",
    side: "before",
    count: 1_000,
  });
  await stage.comment(pr, "/trainyard merge", "eve");
  stage.sandbox.deleteUser("eve");
  mend();
  const text = await stage.untilCommented(pr, /\(`PERMISSION_TOO_LOW`\)/);
  expect(text).toMatch(/ghost: /);
  expect(toldOn(pr).flatMap(({ mentioned }) => mentioned)).toEqual([]);
  expect(await stage.look(pr)).toBeNull();
});
