import { afterEach, expect, test } from "@jest/globals";
import type { FinishingJob } from "../../tools/sandbox/ci/ci-settings.ts";
import { eventually } from "./eventually.ts";
import { Stage } from "./stage.ts";

let stage: Stage;

afterEach(() => stage.close());

const at = { owner: "acme", repo: "widgets" };
const isTest = ({ branch, pr }: FinishingJob) => pr === null && branch.startsWith("trainyard-merge/");

/** A stage with the policy `adaptive` whose jobs on test branches fail while `isBroken` says so. Notes the trees that they test. */
async function open(isBroken: (job: FinishingJob) => boolean): Promise<FinishingJob[]> {
  const jobs: FinishingJob[] = [];
  const lastStep = async (job: FinishingJob) => {
    if (!isTest(job)) return job.conclusion;
    jobs.push(job);
    return isBroken(job) ? "failure" : job.conclusion;
  };
  const queue = { mode: "single", mergeMethod: "merge_commit", policy: "adaptive", concurrency: 1 } as const;
  stage = await Stage.open({ queue, ci: { lastStep }, environment: { TRAINYARD_RECONCILE_MS: "300" } });
  return jobs;
}

async function treeOfMain(): Promise<string> {
  return (await stage.branch("main")).commit.commit.tree.sha;
}

async function untilNoTestBranches(): Promise<void> {
  await eventually(async () => {
    const ref = "heads/trainyard-merge/";
    const { data } = await stage.octokit("alice").rest.git.listMatchingRefs({ ...at, ref });
    return data.length === 0 ? true : null;
  }, "no test branches");
}

test("a bad pull request in a quiet queue is removed after main has passed by itself", async () => {
  const jobs = await open(() => false);
  const pr = await stage.openPullRequest("bad", { "facts/bad.json": '{"sets":["bad"]}\n' });
  await stage.pushToMain({ "facts/policy.json": '{"forbids":["bad"]}\n' });
  await stage.comment(pr, "/trainyard merge");
  expect(await stage.until(pr, "failed")).toMatchObject({ reason: "CHECKS_FAILED" });
  const tree = await treeOfMain();
  const ofMain = jobs.find((job) => job.tree === tree);
  await untilNoTestBranches();
  const commit_sha = ofMain?.sha ?? "main was not tested by itself";
  const { data } = await stage.octokit("alice").rest.git.getCommit({ ...at, commit_sha });
  expect(data.message).toBe("Test main by itself");
});

test("a good pull request outlives an outage of CI, and says that main fails by itself", async () => {
  let isOut = true;
  await open(() => isOut);
  const pr = await stage.openPullRequest("good");
  await stage.comment(pr, "/trainyard merge");
  await stage.untilCommented(pr, /It is not removed for that: .* the target branch fails by itself at/);
  expect(await stage.look(pr)).toMatchObject({ isCurrentlySubmittedToQueue: true });
  const page = async () => (await fetch(stage.pageUrl)).text();
  expect(await page()).toContain("main fails by itself");
  const metrics = await stage.client.getMergeQueueMetrics();
  expect(metrics).toMatch(/trainyard_nothing_passes\{[^}]*\} 1\n/);
  expect(metrics).toMatch(/trainyard_base_tests_total\{[^}]*outcome="failed"\} [1-9]\d*\n/);
  isOut = false;
  // A test that passes ends the outage. Otherwise the next one is minutes away.
  const other = await stage.openPullRequest("other");
  await stage.comment(other, "/trainyard merge");
  await stage.until(other, "merged");
  await stage.until(pr, "merged");
  expect(await page()).not.toContain("main fails by itself");
  expect(await stage.client.getMergeQueueMetrics()).toMatch(/trainyard_nothing_passes\{[^}]*\} 0\n/);
  await untilNoTestBranches();
});
