import { afterEach, expect, test } from "@jest/globals";
import { Author } from "./author.ts";
import { eventually } from "./eventually.ts";
import { Stage } from "./stage.ts";
import type { StageOptions } from "./stage-options.ts";

let stage: Stage;

afterEach(() => stage.close());

async function open(options: StageOptions = {}): Promise<void> {
  stage = await Stage.open({ queue: { mergeMethod: "merge_commit", concurrency: 4 }, ...options });
}

/** Without reconciling, only events in the queue and webhooks change the state. */
const neverReconciling: StageOptions = { environment: { TRAINYARD_RECONCILE_MS: "86400000" } };

async function openDependent(name: string, on: number): Promise<number> {
  return stage.openPullRequest(name, undefined, { body: `What it is.\n\nDepends-On: #${on}\n` });
}

async function submit(...prs: number[]): Promise<void> {
  for (const number of prs) await stage.client.submitPullRequest({ ...stage.queue, pr: { number } });
}

async function untilExplained(pr: number, text: RegExp): Promise<void> {
  await eventually(async () => {
    const { why } = await stage.client.explainPullRequest({ ...stage.queue, pr: { number: pr } });
    return why.some((link) => text.test(link.text)) ? true : null;
  }, `#${pr} to wait because of ${text}`);
}

test("a dependent pull request waits until its dependency has merged through the queue, without webhooks", async () => {
  await open({ sandbox: { webhooks: { drop: 1 } }, environment: { TRAINYARD_RECONCILE_MS: "400" } });
  const first = await stage.openPullRequest("first");
  const second = await openDependent("second", first);
  await submit(second);
  expect((await stage.look(second))?.state).toBe("not_ready");
  await untilExplained(second, new RegExp(`it depends on #${first}, and waits until that has merged`));
  await submit(first);
  const merged = await stage.until(first, "merged");
  const after = await stage.until(second, "merged");
  expect(Date.parse(after.stateChangedAt)).toBeGreaterThan(Date.parse(merged.stateChangedAt));
});

test("a dependent pull request continues directly after the merge of its dependency, without reconciling", async () => {
  await open(neverReconciling);
  const first = await stage.openPullRequest("first");
  const second = await openDependent("second", first);
  await submit(second, first);
  await stage.until(first, "merged");
  await stage.until(second, "merged");
});

test("a dependent pull request waits for a dependency that was closed without a merge, and explains what to do", async () => {
  await open(neverReconciling);
  const first = await stage.openPullRequest("first");
  const second = await openDependent("second", first);
  await submit(second);
  await untilExplained(second, /and waits until that has merged/);
  await stage.update(first, { state: "closed" });
  await untilExplained(
    second,
    new RegExp(`#${first}, which was closed without a merge: reopen that, or remove`),
  );
  await stage.update(second, { body: "It depends on nothing." });
  await stage.until(second, "merged");
});

test("a dependent pull request waits for a dependency that merged into another branch or does not exist", async () => {
  await open();
  const { commit } = await stage.branch("main");
  await stage.octokit("alice").rest.git.createRef({
    owner: "acme",
    repo: "widgets",
    ref: "refs/heads/next",
    sha: commit.sha,
  });
  const first = await stage.openPullRequest("first", undefined, { base: "next" });
  await stage.octokit("alice").rest.pulls.merge({ owner: "acme", repo: "widgets", pull_number: first });
  const second = await openDependent("second", first);
  const third = await openDependent("third", 999);
  await submit(second, third);
  await untilExplained(second, new RegExp(`#${first}, which was merged into another branch`));
  await untilExplained(third, /#999, which is no pull request of this repository: correct the number/);
});

test("pull requests that depend on each other explain the cycle", async () => {
  await open();
  const first = await stage.openPullRequest("first");
  const second = await openDependent("second", first);
  await stage.update(first, { body: `depends-on: #${second}` });
  await submit(first, second);
  await untilExplained(first, new RegExp(`#${first} and #${second} depend on each other: remove one`));
  await untilExplained(second, new RegExp(`#${second} and #${first} depend on each other: remove one`));
});

test("a dependency that is added to the description during the tests makes the pull request not ready", async () => {
  await open({ ...neverReconciling, requiredChecks: [], queue: { requiredStatuses: ["never"] } });
  const first = await stage.openPullRequest("first");
  const second = await stage.openPullRequest("second");
  await submit(second);
  await stage.until(second, "testing");
  await stage.update(second, { body: `Depends-On: #${first}` });
  expect(await stage.until(second, "not_ready")).toMatchObject({ reason: "DEPENDS_ON" });
});

test("a line that begins like a dependency and cannot be read holds the pull request, and is quoted", async () => {
  await open();
  const first = await stage.openPullRequest("first", undefined, { body: "**Depends on:** the *parser*" });
  await submit(first);
  expect((await stage.look(first))?.state).toBe("not_ready");
  await untilExplained(first, /its description says "\*\*Depends on:\*\* the \*parser\*", which names no/);
  await stage.update(first, { body: "It needs nothing." });
  await stage.until(first, "merged");
});

test("a dependency in another repository holds the pull request until it has merged, if the App may read it", async () => {
  await open({ environment: { TRAINYARD_RECONCILE_MS: "400" } });
  const { sandbox } = stage;
  await sandbox.createRepository({ owner: "acme", name: "gears", files: { "a.txt": "\n" }, ci: null });
  await sandbox.createRepository({
    owner: "other",
    name: "secret",
    files: { "a.txt": "\n" },
    installed: false,
  });
  const alice = stage.octokit("alice").rest;
  const gears = { owner: "acme", repo: "gears" };
  const author = new Author(stage.octokit("alice"), "alice", gears);
  await author.createBranch("tooth", "main", { files: { "b.txt": "b\n" }, message: "Add a tooth" });
  const { data: tooth } = await alice.pulls.create({ ...gears, base: "main", head: "tooth", title: "Tooth" });
  const body = `Depends on acme/gears#${tooth.number}\nDepends on other/secret#1`;
  const first = await stage.openPullRequest("first", undefined, { body });
  await submit(first);
  await untilExplained(first, /it depends on acme\/gears#1, and waits until that has merged/);
  await untilExplained(first, /other\/secret#1, which does not exist or cannot be read by this App/);
  await stage.update(first, { body: `Depends on acme/gears#${tooth.number}` });
  await alice.pulls.merge({ ...gears, pull_number: tooth.number });
  await stage.until(first, "merged");
});
