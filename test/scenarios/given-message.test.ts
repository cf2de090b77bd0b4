import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { commitOn, tipOf } from "../sandbox/commit-on-branch.ts";
import { eventually } from "./eventually.ts";
import { Gate } from "./gate.ts";
import { Stage } from "./stage.ts";

let stage: Stage;
let gate = new Gate();

const at = { owner: "acme", repo: "widgets" };

beforeAll(async () => {
  stage = await Stage.open({
    queue: { mergeMethod: "squash", directMergeMode: "always" },
    ci: { lastStep: (job) => gate.lastStep(job) },
  });
});

beforeEach(() => gate.open());

afterAll(async () => {
  gate.open();
  await stage.close();
});

const submit = (pr: number, given: { commitTitle?: string; commitMessage?: string } = {}) =>
  stage.client.submitPullRequest({ ...stage.queue, pr: { number: pr }, ...given });

const configure = (changes: Parameters<Stage["client"]["updateQueue"]>[0]) =>
  stage.client.updateQueue({ ...stage.queue, ...changes });

const mainMessage = async () => (await stage.branch("main")).commit.commit.message;

/** The message of the commit on which a pull request's tests run. */
const testedMessage = (pr: number) =>
  eventually(async () => {
    const { rest } = stage.octokit("alice");
    const { data } = await rest.git.listMatchingRefs({ ...at, ref: `heads/trainyard-merge/pr-${pr}/` });
    const sha = data.at(-1)?.object.sha;
    return sha ? (await rest.git.getCommit({ ...at, commit_sha: sha })).data.message : null;
  }, `a test branch of #${pr}`);

test("a direct merge uses the title and message of the submission", async () => {
  const pr = await stage.openPullRequest("zero");
  await submit(pr, { commitTitle: "Direct", commitMessage: "At once" });
  expect(await stage.until(pr, "merged")).toMatchObject({ reason: "DIRECT_MERGED" });
  expect(await mainMessage()).toBe("Direct\n\nAt once");
});

test("`merge --title --message` gives a squash its title and message, and keeps its co-authors", async () => {
  await configure({ ...stage.queue, directMergeMode: "off" });
  const pr = await stage.openPullRequest("one", undefined, { settle: false });
  const bob = stage.octokit("bob");
  const more = "More of it\n\nSigned-off-by: Bob <bob@example.com>";
  const sha = await commitOn(bob, await tipOf(bob, "one"), { "facts/more.json": "{}\n" }, more);
  await bob.rest.git.updateRef({ ...at, ref: "heads/one", sha });
  await stage.untilHandled();
  gate = new Gate();
  await stage.comment(
    pr,
    String.raw`/trainyard merge ${sha} --title "Add \"one\"" --message "Why: {title}.\n\nSee #1"`,
  );
  const tested = await testedMessage(pr);
  gate.open();
  await stage.until(pr, "merged");
  const said = await mainMessage();
  expect(said).toMatch(
    /^Add "one"\n\nWhy: \{title\}\.\n\nSee #1\n\nCo-authored-by: bob <[^>]+>\nSigned-off-by: Bob <bob@example.com>$/,
  );
  // An invisible space keeps the tested commit from appearing on the timeline.
  expect(tested).not.toBe(said);
  expect(tested.replaceAll("\u200b", "")).toBe(said);
  const events = await stage.octokit("alice").rest.issues.listEvents({ ...at, issue_number: 1 });
  const referencing = events.data.filter(({ event }) => event === "referenced");
  expect(referencing.map(({ commit_id }) => commit_id)).toEqual([(await stage.branch("main")).commit.sha]);
});

test("a merge commit keeps its tested message, and another message is refused during its tests", async () => {
  await configure({ ...stage.queue, mergeMethod: "merge_commit", state: "paused" });
  const pr = await stage.openPullRequest("two");
  await submit(pr, { commitTitle: "First", commitMessage: "Body" });
  await submit(pr, { commitTitle: "Second" });
  gate = new Gate();
  await configure({ ...stage.queue, state: "running" });
  await stage.until(pr, "testing");
  await submit(pr, { commitTitle: "Second" });
  await expect(submit(pr, { commitMessage: "Other" })).rejects.toMatchObject({
    status: 409,
    code: "MESSAGE_ALREADY_TESTED",
  });
  await stage.client.restartTestsOnPullRequest({ ...stage.queue, pr: { number: pr } });
  await stage.until(pr, "testing");
  gate.open();
  await stage.until(pr, "merged");
  expect(await mainMessage()).toBe("Second\n\nBody");
});

test("a template that merges first does not change the tested message of the next pull request", async () => {
  await configure({ ...stage.queue, mergeMethod: "squash", mode: "single", concurrency: 2, policy: "fixed" });
  const file = { ".github/trainyard.yml": "commitTitle: 'Changed {number}'\n" };
  const first = await stage.openPullRequest("three", file);
  const second = await stage.openPullRequest("four");
  gate = new Gate();
  for (const pr of [first, second]) await submit(pr);
  for (const pr of [first, second]) await stage.until(pr, "testing");
  gate.open();
  for (const pr of [first, second]) await stage.until(pr, "merged");
  expect(await mainMessage()).toBe(`Add four (#${second})`);
});

test("a title or message is refused with the reason when the queue merges by rebase", async () => {
  await configure({ ...stage.queue, mergeMethod: "rebase" });
  const pr = await stage.openPullRequest("six");
  await stage.comment(pr, "/trainyard merge --message=Other");
  await stage.untilCommented(pr, /merges by rebase.*`REBASE_KEEPS_MESSAGES`/s);
  expect(await stage.look(pr)).toBeNull();
});
