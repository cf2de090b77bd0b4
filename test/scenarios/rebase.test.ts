import { afterEach, describe, expect, test } from "@jest/globals";
import { commitOn, tipOf } from "../sandbox/commit-on-branch.ts";
import { eventually } from "./eventually.ts";
import { Gate } from "./gate.ts";
import { Stage } from "./stage.ts";
import type { StageOptions } from "./stage-options.ts";

let stage: Stage;
let gate: Gate;

afterEach(async () => {
  gate.open();
  await stage.close();
});

const at = { owner: "acme", repo: "widgets" };

async function open(queue: StageOptions["queue"] = {}): Promise<void> {
  gate = new Gate();
  stage = await Stage.open({ queue: { mergeMethod: "rebase", ...queue }, ci: { lastStep: gate.lastStep } });
}

const submit = (pr: number) => stage.client.submitPullRequest({ ...stage.queue, pr: { number: pr } });

/** Opens a pull request of two commits. */
async function openTwoCommits(name: string): Promise<number> {
  const pr = await stage.openPullRequest(name, { [`facts/${name}.json`]: "{}\n" }, { settle: false });
  await stage.push(name, { [`facts/${name}-more.json`]: "{}\n" });
  await stage.untilHandled();
  return pr;
}

/** The commits between two commits, the oldest first; null if the first one is no ancestor of the other. */
async function commitsFrom(from: string, to: string) {
  const basehead = `${from}...${to}`;
  const { data } = await stage.octokit("alice").rest.repos.compareCommitsWithBasehead({ ...at, basehead });
  if (data.status !== "ahead") return null;
  return data.commits.map(({ commit, parents }) => ({
    message: commit.message,
    author: commit.author?.email,
    tree: commit.tree.sha,
    parents: parents.length,
  }));
}

/** The commits that main got since a commit. */
async function mergedSince(base: string) {
  const commits = await commitsFrom(base, await mainSha());
  if (!commits) throw new Error(`main has left ${base}`);
  return commits;
}

/** The commits on which a pull request is tested on a base. Its first tests may be on an earlier base. */
const testedOn = (base: string, pr: number) =>
  eventually(async () => commitsFrom(base, await testedSha(pr)), `tests of #${pr} on ${base}`);

/** The commit that a pull request's tests run on. */
const testedSha = (pr: number) =>
  eventually(async () => {
    const ref = `heads/trainyard-merge/pr-${pr}/`;
    const { data } = await stage.octokit("alice").rest.git.listMatchingRefs({ ...at, ref });
    return data.at(-1)?.object.sha ?? null;
  }, `a test branch of #${pr}`);

const mainSha = async () => (await stage.branch("main")).commit.sha;

describe("with rebase,", () => {
  test("each commit is replayed for the tests exactly as GitHub replays it in the merge", async () => {
    await open();
    const pr = await openTwoCommits("one");
    await stage.pushToMain({ "notes.txt": "Something.\n" });
    const base = await mainSha();
    await submit(pr);
    const tested = await testedOn(base, pr);
    gate.open();
    expect((await stage.until(pr, "merged")).merged).toMatchObject({ proof: "same_tree" });
    const merged = await mergedSince(base);
    expect(merged.map(({ message }) => message)).toEqual(["Add one", "More of one"]);
    expect(merged.map(({ author }) => author)).toEqual(["alice@example.com", "alice@example.com"]);
    expect(tested).toEqual(merged);
  });

  test("three pull requests are tested on top of each other and merge in order, one of them from another's branch", async () => {
    await open({ concurrency: 3, policy: "fixed" });
    const base = await mainSha();
    const one = await openTwoCommits("one");
    const two = await openTwoCommits("two");
    const three = await openOnTopOf("one", "three");
    for (const pr of [one, two, three]) await submit(pr);
    const tested = await testedOn(base, three);
    gate.open();
    for (const pr of [one, two, three])
      expect((await stage.until(pr, "merged")).merged).toMatchObject({ proof: "same_tree" });
    const merged = await mergedSince(base);
    expect(merged).toEqual(tested);
    const messages = ["Add one", "More of one", "Add two", "More of two", "Add three"];
    expect(merged.map(({ message }) => message)).toEqual(messages);
  });

  test("two pull requests are tested as a batch and merge one after the other", async () => {
    await open({ policy: "fixed", batch: true, batchingMinSize: 2, batchingMaxWaitTimeMinutes: 1 });
    gate.open();
    const prs = [await openTwoCommits("one"), await openTwoCommits("two")];
    for (const pr of prs) await submit(pr);
    const ends = [];
    for (const pr of prs) ends.push((await stage.until(pr, "merged")).merged?.proof);
    expect(ends).toEqual(["batch", "same_tree"]);
  });

  test("merges of the base into the branch are left out", async () => {
    await open();
    gate.open();
    const pr = await openTwoCommits("one");
    await stage.pushToMain({ "notes.txt": "Something.\n" });
    await stage.octokit("alice").rest.repos.merge({ ...at, base: "one", head: "main" });
    const last = await commitOn(stage.octokit("alice"), await tipOf(stage.octokit("alice"), "one"), {
      "facts/last.json": "{}\n",
    });
    await stage.octokit("alice").rest.git.updateRef({ ...at, ref: "heads/one", sha: last });
    await stage.pushToMain({ "notes.txt": "Something else.\n" });
    await stage.untilHandled();
    const base = await mainSha();
    await submit(pr);
    await stage.until(pr, "merged");
    const merged = await mergedSince(base);
    expect(merged.map(({ parents }) => parents)).toEqual([1, 1, 1]);
  });

  test("a pull request that does not apply commit by commit fails before its tests, and its comment says what to do", async () => {
    await open();
    gate.open();
    const pr = await stage.openPullRequest("one", { "notes.txt": "Mine.\n" }, { settle: false });
    await stage.push("one", { "notes.txt": "Ours.\n" });
    await stage.pushToMain({ "notes.txt": "Ours.\n" });
    await stage.push("one", { "facts/one.json": "{}\n" });
    await stage.untilHandled();
    await submit(pr);
    expect(await stage.until(pr, "failed")).toMatchObject({ reason: "REBASE_NOT_POSSIBLE" });
    await stage.untilCommented(pr, /Rebase the branch onto the target branch/);
    const refs = await stage
      .octokit("alice")
      .rest.git.listMatchingRefs({ ...at, ref: "heads/trainyard-merge/" });
    expect(refs.data).toEqual([]);
  });

  test("a pull request whose changes are already on the base fails as empty", async () => {
    await open();
    gate.open();
    const pr = await stage.openPullRequest("one", { "notes.txt": "Ours.\n" });
    await stage.pushToMain({ "notes.txt": "Ours.\n" });
    await submit(pr);
    expect(await stage.until(pr, "failed")).toMatchObject({ reason: "EMPTY_PULL_REQUEST" });
  });

  test("a pull request is tested again when the base moves from outside during its tests", async () => {
    await open();
    const pr = await openTwoCommits("one");
    await submit(pr);
    await stage.until(pr, "testing");
    const before = await testedSha(pr);
    await stage.pushToMain({ "notes.txt": "Something.\n" });
    const base = await mainSha();
    await eventually(async () => ((await testedSha(pr)) === before ? null : true), "another test branch");
    gate.open();
    await stage.until(pr, "merged");
    expect((await mergedSince(base)).map(({ message }) => message)).toEqual(["Add one", "More of one"]);
  });
});

test("cancelled tests of an up-to-date pull request do not count against its own checks", async () => {
  await open();
  gate.open();
  const pr = await openTwoCommits("one");
  stage.sandbox.setCi("acme/widgets", { durationMs: [20_000, 20_000] });
  await submit(pr);
  const tested = await testedSha(pr);
  expect(tested).not.toBe((await stage.pull(pr)).head.sha);
  await eventually(async () => {
    const { data } = await stage.octokit("alice").rest.checks.listForRef({ ...at, ref: tested });
    return data.total_count > 0 ? true : null;
  }, "checks of the test branch");
  stage.sandbox.setCi("acme/widgets", { durationMs: [60, 160] });
  await stage.pushToMain({ "notes.txt": "Something.\n" });
  await stage.until(pr, "merged");
});

/** Opens a pull request with one commit on top of another pull request's branch. */
async function openOnTopOf(other: string, name: string): Promise<number> {
  return stage.openPullRequest(name, { [`facts/${name}.json`]: "{}\n" }, { from: other });
}
