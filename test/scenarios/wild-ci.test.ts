import { afterEach, expect, test } from "@jest/globals";
import { Stage } from "./stage.ts";

let stage: Stage;

afterEach(() => stage.close());

/** One workflow for pushes to every branch, all runs of which share a concurrency group. */
const oneGroup = (cancelInProgress: boolean, durationMs: readonly [number, number]) => ({
  durationMs,
  workflows: [
    {
      name: "CI",
      on: { push: {} },
      concurrency: { group: "ci", cancelInProgress },
      jobs: ["build", "test"],
    },
  ],
});

async function submitFour(): Promise<number[]> {
  const prs: number[] = [];
  for (const name of ["one", "two", "three", "four"]) prs.push(await stage.openPullRequest(name));
  for (const pr of prs) await stage.client.submitPullRequest({ ...stage.queue, pr: { number: pr } });
  return prs;
}

test.each([
  ["fixed", true],
  ["adaptive", true],
  ["fixed", false],
  ["adaptive", false],
] as const)(
  "good pull requests merge with the policy %s although the workflow's runs share a concurrency group, cancel-in-progress %s",
  async (policy, cancelInProgress) => {
    stage = await Stage.open({
      queue: { policy, concurrency: 4 },
      // Longer than the delays before a test is repeated, so that repetitions meet each other, too.
      ci: oneGroup(cancelInProgress, cancelInProgress ? [6_000, 6_000] : [1_500, 1_500]),
      environment: { TRAINYARD_RECONCILE_MS: "500" },
      requiredChecks: ["build", "test"],
    });
    const prs = await submitFour();
    for (const pr of prs) await stage.until(pr, "merged");
  },
  150_000,
);

test("a workflow that somebody cancels again and again is named, and no check is said to have failed", async () => {
  stage = await Stage.open({ queue: {}, ci: { durationMs: [60_000, 60_000], pullRequests: false } });
  const pr = await stage.openPullRequest("one");
  await stage.client.submitPullRequest({ ...stage.queue, pr: { number: pr } });
  const octokit = stage.octokit("alice");
  for (let times = 1; times <= 3; times++) {
    await stage.until(pr, "testing");
    const runs = stage.sandbox.workflowRuns("acme/widgets").filter(({ event }) => event === "push");
    expect(runs).toHaveLength(times);
    await octokit.rest.actions.cancelWorkflowRun({
      owner: "acme",
      repo: "widgets",
      run_id: runs.at(-1)?.id ?? 0,
    });
    const { reason } = await stage.until(pr, times < 3 ? "pending" : "failed");
    expect(reason).toBe(times < 3 ? "INFRASTRUCTURE_ERROR" : "TESTS_CANCELLED");
  }
  const comment = await stage.untilCommented(pr, /cancels itself/);
  expect(comment).toContain("build");
  expect(comment).toContain("concurrency group");
}, 60_000);

test("what a commit's checks say on another branch does not decide about the test", async () => {
  stage = await Stage.open({
    queue: {},
    ci: {
      durationMs: [1_500, 1_500],
      workflows: [
        { name: "CI", on: { push: { branches: ["trainyard-merge/**", "copy"] } }, jobs: ["build", "test"] },
      ],
    },
  });
  const pr = await stage.openPullRequest("one");
  await stage.client.submitPullRequest({ ...stage.queue, pr: { number: pr } });
  await stage.until(pr, "testing");
  const [tested] = stage.sandbox.workflowRuns("acme/widgets");
  const octokit = stage.octokit("alice");
  const at = { owner: "acme", repo: "widgets" };
  await octokit.rest.git.createRef({ ...at, ref: "refs/heads/copy", sha: tested?.headSha ?? "" });
  const copy = stage.sandbox.workflowRuns("acme/widgets").find(({ headBranch }) => headBranch === "copy");
  await octokit.rest.actions.cancelWorkflowRun({ ...at, run_id: copy?.id ?? 0 });
  expect(await stage.until(pr, "merged")).toMatchObject({ reason: "MERGED_IN_ORDER" });
  const tests = stage.sandbox
    .workflowRuns("acme/widgets")
    .filter(({ headBranch }) => headBranch?.startsWith("trainyard-merge/"));
  expect(tests.map(({ conclusion }) => conclusion)).toEqual(["success"]);
});
