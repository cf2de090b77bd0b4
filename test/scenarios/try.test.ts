import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { eventually } from "./eventually.ts";
import { Gate } from "./gate.ts";
import { Stage } from "./stage.ts";

let stage: Stage;
let gate = new Gate();

const at = { owner: "acme", repo: "widgets" };

beforeAll(async () => {
  stage = await Stage.open({
    queue: { mergeMethod: "merge_commit", concurrency: 1 },
    ci: { lastStep: (job) => gate.lastStep(job) },
    environment: { TRAINYARD_RECONCILE_MS: "300" },
  });
});

beforeEach(() => gate.open());

afterAll(async () => {
  gate.open();
  await stage.close();
});

/** The test branches of a pull request. */
async function branchesOf(pr: number) {
  const { data } = await stage
    .octokit("alice")
    .rest.git.listMatchingRefs({ ...at, ref: `heads/trainyard-merge/pr-${pr}/` });
  return data;
}

const untilBranch = (pr: number) =>
  eventually(async () => (await branchesOf(pr)).at(-1) ?? null, `a test branch of #${pr}`);

const untilNoBranch = (pr: number) =>
  eventually(async () => ((await branchesOf(pr)).length === 0 ? true : null), `no test branch of #${pr}`);

const mainSha = async () => (await stage.branch("main")).commit.sha;

test("`try` tests the base with the pull request, comments the result, and merges nothing", async () => {
  const pr = await stage.openPullRequest("one", undefined, { draft: true });
  await stage.pushToMain({ "notes.txt": "Something.\n" });
  await stage.untilHandled();
  const base = await mainSha();
  gate = new Gate();
  await stage.comment(pr, "/trainyard try");
  await stage.untilCommented(pr, /is tested on .*main/);
  const { object } = await untilBranch(pr);
  const { data } = await stage.octokit("alice").rest.git.getCommit({ ...at, commit_sha: object.sha });
  expect(data.parents.map(({ sha }) => sha)).toEqual([base]);
  expect(data.message).not.toMatch(/#\d/);
  gate.open();
  const head = (await stage.pull(pr)).head.sha;
  const said = new RegExp(`Try passed.*${head.slice(0, 7)}.*main.*at .${base.slice(0, 7)}.*TESTS_PASSED`);
  await stage.untilCommented(pr, said);
  await untilNoBranch(pr);
  expect(await mainSha()).toBe(base);
  expect(await stage.look(pr)).toBeNull();
});

test("a try that fails names its checks, and its test run can be read by the API", async () => {
  const pr = await stage.openPullRequest("bad", { "facts/bad.json": '{"sets":["bad"]}\n' });
  await stage.pushToMain({ "facts/policy.json": '{"forbids":["bad"]}\n' });
  await stage.untilHandled();
  gate = new Gate();
  await stage.client.tryPullRequest({ ...stage.queue, pr: { number: pr } });
  await untilBranch(pr);
  const { testRunId } = await eventually(async () => {
    const tried = await stage.client.tryPullRequest({ ...stage.queue, pr: { number: pr } });
    return tried.state === "testing" ? tried : null;
  }, `the try of #${pr} to be in testing`);
  gate.open();
  await stage.untilCommented(pr, /Try failed.*CHECKS_FAILED.*failure/s);
  const run = await stage.client.getMergeQueueTestingDetails({ ...stage.queue, testRunId: testRunId ?? "" });
  expect(run).toMatchObject({ status: "failed", reason: "CHECKS_FAILED" });
});

test("a try gives its slot to a queued pull request, continues afterwards, and ends at a push", async () => {
  const [tried, queued] = [await stage.openPullRequest("two"), await stage.openPullRequest("three")];
  gate = new Gate();
  await stage.client.tryPullRequest({ ...stage.queue, pr: { number: tried } });
  const first = await untilBranch(tried);
  await stage.client.submitPullRequest({ ...stage.queue, pr: { number: queued } });
  await stage.until(queued, "testing");
  await untilNoBranch(tried);
  expect(first.ref).toContain(`/pr-${tried}/`);
  gate.open();
  await stage.until(queued, "merged");
  await stage.untilCommented(tried, /Try passed/);
  gate = new Gate();
  await stage.client.tryPullRequest({ ...stage.queue, pr: { number: tried } });
  await untilBranch(tried);
  await stage.push("two", { "facts/two-more.json": "{}\n" });
  await stage.untilCommented(tried, /Try stopped.*PUSHED_TO/);
  await untilNoBranch(tried);
});

test("a try ends at `cancel` and at a submission, and is refused for a queued pull request", async () => {
  const pr = await stage.openPullRequest("four");
  gate = new Gate();
  await stage.comment(pr, "/trainyard try");
  await untilBranch(pr);
  await stage.comment(pr, "/trainyard cancel");
  await stage.untilCommented(pr, /try ended without a result/);
  await untilNoBranch(pr);
  await stage.client.tryPullRequest({ ...stage.queue, pr: { number: pr } });
  await stage.client.submitPullRequest({ ...stage.queue, pr: { number: pr } });
  expect(await stage.client.cancelTry({ ...stage.queue, pr: { number: pr } })).toEqual({ cancelled: false });
  await stage.comment(pr, "/trainyard try");
  await stage.untilCommented(pr, /ALREADY_QUEUED/);
  gate.open();
  await stage.until(pr, "merged");
});

test("a try by a user without write access is refused", async () => {
  const pr = await stage.openPullRequest("five");
  await stage.comment(pr, "/trainyard try", "carol");
  await stage.untilCommented(pr, /PERMISSION_TOO_LOW/);
  expect(await branchesOf(pr)).toEqual([]);
});
