import { afterEach, beforeEach, expect, test } from "@jest/globals";
import type { FinishingJob } from "../../tools/sandbox/ci/ci-settings.ts";
import { eventually } from "./eventually.ts";
import { Gate } from "./gate.ts";
import { Stage } from "./stage.ts";
import { variants } from "./variants.ts";

let stage: Stage;
let gate: Gate;

beforeEach(() => {
  gate = new Gate();
});

afterEach(async () => {
  gate.open();
  await stage.close();
});

const at = { owner: "acme", repo: "widgets" };
const requiredStatuses = ["build", "test"];
const jobs = ["build", "test"];

const runsOfTests = () =>
  stage.sandbox
    .workflowRuns("acme/widgets")
    .filter(({ headBranch }) => headBranch?.startsWith("trainyard-merge/"));

const setState = (state: "paused" | "running") => stage.client.updateQueue({ ...stage.queue, state });

async function submit(name: string): Promise<number> {
  const pr = await stage.openPullRequest(name);
  await stage.client.submitPullRequest({ ...stage.queue, pr: { number: pr } });
  return pr;
}

test.each(
  variants([
    // Longer than the delay before a retry, so that retries meet each other, too.
    ["adaptive", true, 5_500],
    ["fixed", false, 5_500],
  ]),
)(
  "good pull requests merge with the policy %s although the workflow's runs share a concurrency group, cancel-in-progress %s",
  async (policy, cancelInProgress, duration) => {
    const concurrency = { group: "ci", cancelInProgress };
    const on = { push: { branches: ["trainyard-merge/**"] } };
    const isCancelled = async () =>
      runsOfTests().some(({ conclusion }) => conclusion === "cancelled") || null;
    // The first run does not end before others have met it.
    const lastStep = async ({ runId, conclusion }: FinishingJob) => {
      if (runId === runsOfTests()[0]?.id) await eventually(isCancelled, "a run to be cancelled");
      return conclusion;
    };
    stage = await Stage.open({
      queue: { policy, concurrency: 4, requiredStatuses },
      requiredChecks: null,
      ci: { durationMs: [duration, duration], workflows: [{ name: "CI", on, concurrency, jobs }], lastStep },
      environment: { TRAINYARD_RECONCILE_MS: "500" },
    });
    const prs: number[] = [];
    for (const name of ["one", "two", "three", "four"]) prs.push(await stage.openPullRequest(name));
    for (const pr of prs) await stage.client.submitPullRequest({ ...stage.queue, pr: { number: pr } });
    for (const pr of prs) await stage.until(pr, "merged");
    expect(runsOfTests().map(({ conclusion }) => conclusion)).toContain("cancelled");
  },
);

test("a pull request whose workflow is cancelled three times fails with the cancelled checks as the reason", async () => {
  stage = await Stage.open({
    queue: { requiredStatuses },
    requiredChecks: null,
    ci: { durationMs: [60_000, 60_000], pullRequests: false },
  });
  const pr = await submit("one");
  for (let times = 1; times <= 3; times++) {
    await stage.until(pr, "testing");
    const runs = runsOfTests();
    expect(runs).toHaveLength(times);
    // It is not tested again before the test has seen that it waits.
    if (times < 3) await setState("paused");
    await stage.octokit("alice").rest.actions.cancelWorkflowRun({ ...at, run_id: runs.at(-1)?.id ?? 0 });
    const { reason } = await stage.until(pr, times < 3 ? "pending" : "failed");
    expect(reason).toBe(times < 3 ? "INFRASTRUCTURE_ERROR" : "TESTS_CANCELLED");
    if (times < 3) await setState("running");
  }
  const comment = await stage.untilCommented(pr, /cancels itself/);
  expect(comment).toContain("`build`");
  expect(comment).toContain("concurrency group");
});

test("checks of the tested commit on another branch do not decide its test", async () => {
  stage = await Stage.open({
    queue: { requiredStatuses },
    requiredChecks: null,
    ci: {
      lastStep: gate.lastStep,
      workflows: [{ name: "CI", on: { push: { branches: ["trainyard-merge/**", "copy"] } }, jobs }],
    },
  });
  const pr = await submit("one");
  await stage.until(pr, "testing");
  const [tested] = runsOfTests();
  const octokit = stage.octokit("alice");
  await octokit.rest.git.createRef({ ...at, ref: "refs/heads/copy", sha: tested?.headSha ?? "" });
  const copy = stage.sandbox.workflowRuns("acme/widgets").find(({ headBranch }) => headBranch === "copy");
  await octokit.rest.actions.cancelWorkflowRun({ ...at, run_id: copy?.id ?? 0 });
  gate.open();
  expect(await stage.until(pr, "merged")).toMatchObject({ reason: "MERGED_IN_ORDER" });
  expect(runsOfTests().map(({ conclusion }) => conclusion)).toEqual(["success"]);
});
