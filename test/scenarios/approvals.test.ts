import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { branchWith } from "../sandbox/commit-on-branch.ts";
import { eventually } from "./eventually.ts";
import { Gate } from "./gate.ts";
import { GitHubProxy } from "./github-proxy.ts";
import { Stage } from "./stage.ts";
import type { StageOptions } from "./stage-options.ts";
import { variants } from "./variants.ts";

let stage: Stage;
let gate: Gate;
let proxy: GitHubProxy | null = null;

beforeEach(() => {
  gate = new Gate();
});

afterEach(async () => {
  gate.open();
  await stage.close();
  await proxy?.close();
  proxy = null;
});

const at = { owner: "acme", repo: "widgets" };
const deaf: StageOptions = {
  sandbox: { webhooks: { drop: 1 } },
  environment: { TRAINYARD_RECONCILE_MS: "200" },
};

async function open(queue: StageOptions["queue"], options: StageOptions = {}): Promise<void> {
  stage = await Stage.open({
    rules: { requiredReviews: 1, dismissStaleReviews: true },
    bypass: true,
    ci: { lastStep: gate.lastStep },
    ...options,
    queue: { mergeMethod: "merge_commit", concurrency: 1, policy: "fixed", ...queue },
  });
}

async function openApproved(name: string): Promise<{ pr: number; review: number }> {
  const pr = await stage.openPullRequest(name);
  return { pr, review: await stage.review(pr, "APPROVE") };
}

async function submit(pr: number): Promise<void> {
  await stage.client.submitPullRequest({ ...stage.queue, pr: { number: pr } });
}

async function mergedAt(pr: number): Promise<number> {
  const { stateChangedAt } = await stage.until(pr, "merged");
  return Date.parse(stateChangedAt);
}

/** #1 loses its approval under test, #2 is tested instead, #3 is submitted, #1 is approved again. */
async function loseAndRegainApproval(): Promise<[number, number, number]> {
  const { pr: one, review } = await openApproved("one");
  const { pr: two } = await openApproved("two");
  const { pr: three } = await openApproved("three");
  await submit(one);
  await stage.until(one, "testing");
  await submit(two);
  await stage.dismiss(one, review);
  await stage.until(one, "not_ready");
  await stage.until(two, "testing");
  await submit(three);
  await stage.until(three, "pending");
  await stage.untilCommented(one, /a review is required/);
  await stage.review(one, "APPROVE");
  await stage.until(one, "pending");
  return [one, two, three];
}

test("a pull request that is approved again in time keeps its place in the queue", async () => {
  await open({ reviewGraceMinutes: 30 });
  const { pr: one, review } = await openApproved("one");
  await submit(one);
  await stage.until(one, "testing");
  await stage.dismiss(one, review);
  const { why } = await stage.until(one, "not_ready");
  expect(
    why.map(({ code, until }) => [code, Date.parse(until ?? "") > Date.now() + 29 * 60_000]),
  ).toContainEqual(["PLACE_KEPT", true]);
  await stage.untilCommented(one, /keeps its place/);
  await stage.review(one, "APPROVE");
  await stage.until(one, "testing");
});

test("a pull request that is approved again within the grace time is tested before those submitted after it", async () => {
  await open({ reviewGraceMinutes: 30 });
  const [one, two, three] = await loseAndRegainApproval();
  expect(await stage.look(one)).toMatchObject({ reason: "READY" });
  gate.open();
  const [first, second, third] = [await mergedAt(two), await mergedAt(one), await mergedAt(three)];
  expect(first).toBeLessThan(second);
  expect(second).toBeLessThan(third);
});

test("a pull request that is approved again after the grace time is tested after those submitted in the meantime, with the reason PLACE_LOST", async () => {
  await open({ reviewGraceMinutes: 0 });
  const [one, two, three] = await loseAndRegainApproval();
  const entry = await stage.look(one);
  expect(entry).toMatchObject({ reason: "PLACE_LOST" });
  gate.open();
  const [first, second, third] = [await mergedAt(two), await mergedAt(three), await mergedAt(one)];
  expect(first).toBeLessThan(second);
  expect(second).toBeLessThan(third);
});

test.each(
  variants([
    ["webhooks", {}],
    ["no webhooks", deaf],
  ]),
)(
  "a pull request whose approval becomes stale by the merge of a related one does not merge, with %s",
  async (_how, options) => {
    await open({}, options);
    const one = await stage.openPullRequest("one");
    const alice = stage.octokit("alice");
    await branchWith(alice, "two", { "facts/two.json": "{}\n" }, { from: "one" });
    const { data } = await alice.rest.pulls.create({ ...at, base: "main", head: "two", title: "Add two" });
    const two = data.number;
    await stage.untilHandled();
    for (const pr of [one, two]) {
      await stage.review(pr, "APPROVE");
      await submit(pr);
    }
    gate.open();
    await stage.until(one, "merged");
    expect(await stage.until(two, "not_ready")).toMatchObject({ reason: "REVIEW_REQUIRED" });
    await stage.review(two, "APPROVE");
    await stage.until(two, "merged");
  },
);

test("a pull request whose approval is withdrawn while it waits is not tested, with no webhooks", async () => {
  await open({}, deaf);
  const { pr: one } = await openApproved("one");
  const { pr: two, review } = await openApproved("two");
  await submit(one);
  await stage.until(one, "testing");
  await submit(two);
  await stage.until(two, "pending");
  await stage.dismiss(two, review);
  expect(await stage.until(two, "not_ready")).toMatchObject({ reason: "REVIEW_REQUIRED" });
  gate.open();
  await stage.until(one, "merged");
  const tested = stage.sandbox.workflowRuns("acme/widgets").map(({ headBranch }) => headBranch ?? "");
  expect(tested.filter((branch) => branch.includes(`pr-${two}/`))).toEqual([]);
});

test("a pull request that loses its approval in the moment of its merge keeps its place, and merges once it is approved again", async () => {
  const through = async (url: string) => {
    proxy = await GitHubProxy.start(url);
    return proxy.host;
  };
  await open({}, { bypass: false, through });
  const { pr, review } = await openApproved("one");
  proxy?.beforeNext("PUT", /\/pulls\/\d+\/merge$/, () => stage.dismiss(pr, review));
  gate.open();
  await submit(pr);
  expect(await stage.until(pr, "not_ready")).toMatchObject({ reason: "REVIEW_REQUIRED" });
  await stage.review(pr, "APPROVE");
  await stage.until(pr, "merged");
});

test("a pull request without the approval of the team that owns its code waits, and explains why", async () => {
  await open({}, { rules: { requiredReviews: 1, codeOwnerReviews: true }, ci: {} });
  await stage.pushToMain({ ".github/CODEOWNERS": "facts/ @acme/core\n" });
  stage.sandbox.setTeam("acme/core", ["admin"]);
  const { pr } = await openApproved("one");
  await submit(pr);
  const { why } = await stage.until(pr, "not_ready");
  expect(why.map(({ text }) => text)).toContainEqual(expect.stringMatching(/review is required/));
  await stage.review(pr, "APPROVE", { by: "admin" });
  await stage.until(pr, "merged");
  await eventually(async () => ((await stage.pull(pr)).merged ? true : null), "GitHub to say so");
});
