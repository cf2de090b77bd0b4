import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { UploadStep } from "../../tools/lab/demo/action-steps.ts";
import type { FinishingJob } from "../../tools/sandbox/ci/ci-settings.ts";
import { eventually } from "./eventually.ts";
import { Stage } from "./stage.ts";
import type { StageOptions } from "./stage-options.ts";

let stage: Stage;
let uploadStep: UploadStep;
let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "trainyard-flakes-"));
});

afterEach(async () => {
  await stage.close();
  await rm(directory, { recursive: true, force: true });
});

const tree = "b".repeat(40);
const failure = '<failure message="the card was declined"/>';

/** The report of a job whose test fails or passes. */
function reportOf(conclusion: "success" | "failure"): string {
  const [failures, inner] = conclusion === "failure" ? [1, failure] : [0, ""];
  return `<testsuite name="checkout" tests="2" failures="${failures}"><testcase name="pays by card">${inner}</testcase><testcase name="ships"/></testsuite>`;
}

/** Uploads the report of a job's tests with the Action, as the job's last step. */
async function upload(job: FinishingJob, inputs: Record<string, string> = {}) {
  const { conclusion } = job;
  return (await uploadStep.take(job, reportOf(conclusion), conclusion === "failure", inputs)).conclusion;
}

/** A stage on which each job `test` ends as `decide` says. */
async function open(
  decide: (job: FinishingJob) => Promise<"success" | "failure">,
  options: StageOptions = {},
): Promise<void> {
  const lastStep = async (job: FinishingJob) => (job.job === "test" ? decide(job) : job.conclusion);
  stage = await Stage.open({ queue: { concurrency: 2 }, ...options, ci: { ...options.ci, lastStep } });
  uploadStep = new UploadStep({
    ...{ githubUrl: stage.sandbox.url, repository: "acme/widgets", directory },
    githubToken: stage.sandbox.createUser({ login: "github-actions", permission: "read" }).token,
    ...{ apiUrl: stage.url, apiToken: stage.token },
  });
}

/** Uploads a failure and a pass of the test on one tree, and waits until the test is known as flaky. */
async function showFlake(variant = "Linux"): Promise<string> {
  for (const [run_attempt, conclusion] of [
    [1, "failure"],
    [2, "success"],
  ] as const)
    await stage.client.uploadTestResults({
      ...{
        repo: stage.queue.repo,
        head_sha: "c".repeat(40),
        tree_sha: tree,
        branch: "main",
        kind: "stable",
      },
      ...{ run_id: "1", run_attempt, workflow: "CI", job: "test", variant },
      step_failed: conclusion === "failure",
      reports: [{ path: "junit.xml", content: reportOf(conclusion) }],
    });
  return eventually(async () => {
    const { unhealthy_tests: found } = await stage.client.listUnhealthyTests({
      repo: stage.queue.repo,
      org_url_slug: "acme",
      page_query: { page_size: 10 },
    });
    return (
      found.find((test) => test.name === "pays by card" && test.variant === variant)?.test_case_id ?? null
    );
  }, "the test to be known as flaky");
}

const details = async (test_id: string) =>
  (await stage.client.getTestDetails({ repo: stage.queue.repo, org_url_slug: "acme", test_id })).test;

test("a flaky test that fails in the queue has its job rerun, and no pull request is evicted", async () => {
  // Quarantine is off, so that the job fails.
  await open((job) => upload(job, { quarantine: "false" }));
  const id = await showFlake();
  const flaky = await stage.openPullRequest("flaky", { "facts/flaky.json": '{"flaky":1}\n' });
  const other = await stage.openPullRequest("other");
  for (const pr of [flaky, other])
    await stage.client.submitPullRequest({ ...stage.queue, pr: { number: pr } });
  await stage.until(flaky, "merged");
  await stage.until(other, "merged");
  // The first attempt of one of the two has failed. Their places in the queue decide which one.
  const comments = await Promise.all([flaky, other].map((pr) => stage.untilCommented(pr, /\*\*Merged\*\*/)));
  expect(comments.join("\n")).toContain("Its checks were re-run because of known flaky tests: pays by card.");
  const metrics = await stage.client.getMergeQueueMetrics();
  expect(metrics).toMatch(/trainyard_flaky_retries_total\{[^}]*queue_type="main",outcome="passed"\} 1\n/);
  expect(metrics).toMatch(/trainyard_evictions_avoided_total\{[^}]*queue_type="main",how="retried"\} 1\n/);
  expect(metrics).toMatch(/mq_pr_conclusions_1h_total\{[^}]*queue_type="main",conclusion="failed"\} 0\n/);
  // The run in the queue is evidence, too: the first run of the test and the one in the queue failed.
  const evidence = await eventually(async () => {
    const found = await details(id);
    return found.most_common_failures.some(({ occurrence_count }) => occurrence_count > 1) ? found : null;
  }, "the failure in the queue to be evidence");
  expect(evidence.most_common_failures).toEqual([
    expect.objectContaining({ summary: "the card was declined", occurrence_count: 2 }),
  ]);
  expect(evidence.status.value).toBe("flaky");
  const rate = await eventually(async () => {
    const { failure_rate_last_24h } = await details(id);
    return failure_rate_last_24h < 0.5 ? failure_rate_last_24h : null;
  }, "the runs in the queue to be counted");
  expect(rate).toBeGreaterThan(0);
  // The page shows the test.
  const { host, owner, name } = stage.queue.repo;
  const list = `${stage.url}/tests/${encodeURIComponent(host)}/${owner}/${name}`;
  const listed = await (await fetch(list)).text();
  expect(listed).toContain("pays by card");
  const [, path = ""] = /href="(\/tests\/[^"]*-[^"]*)"/.exec(listed) ?? [];
  expect(path).toContain(id);
  const page = await (await fetch(stage.url + path)).text();
  expect(page).toContain("Passed and failed on the same tree");
  expect(page).toContain("the card was declined");
  expect((await fetch(`${list}/no-such`)).status).toBe(404);
  expect((await fetch(`${list}?page=2`)).status).toBe(404);
});

test("a quarantined test that fails lets its job pass, and the comment names the test", async () => {
  await open((job) => upload(job));
  const id = await showFlake();
  await eventually(async () => ((await details(id)).quarantined ? true : null), "the quarantine");
  const pr = await stage.openPullRequest("flaky", { "facts/flaky.json": '{"flaky":1}\n' });
  await stage.client.submitPullRequest({ ...stage.queue, pr: { number: pr } });
  await stage.until(pr, "merged");
  const comment = await stage.untilCommented(pr, /\*\*Merged\*\*/);
  expect(comment).toContain("Quarantined tests failed and did not count: pays by card.");
  expect(await stage.client.getMergeQueueMetrics()).toMatch(
    /trainyard_evictions_avoided_total\{[^}]*queue_type="main",how="quarantined"\} 1\n/,
  );
});

test("a flaky test that fails in one leg of a matrix in a reusable workflow has that leg rerun", async () => {
  const checks = ["ci / test (linux)", "ci / test (mac)"];
  await open((job) => upload(job, { quarantine: "false" }), {
    requiredChecks: ["build", ...checks],
    ci: {
      workflows: [
        {
          name: "CI",
          on: { push: { branches: ["trainyard-merge/**"] }, pull_request: {} },
          jobs: ["build", { name: "ci", calls: [{ name: "test", matrix: ["linux", "mac"] }] }],
        },
      ],
    },
  });
  for (const leg of ["linux", "mac"]) await showFlake(`Linux, leg=${leg}`);
  const pr = await stage.openPullRequest("flaky", { "facts/flaky.json": '{"flaky":1}\n' });
  await stage.client.submitPullRequest({ ...stage.queue, pr: { number: pr } });
  await stage.until(pr, "merged");
  const comment = await stage.untilCommented(pr, /\*\*Merged\*\*/);
  expect(comment).toContain("Its checks were re-run because of known flaky tests: pays by card.");
});

test("a failure without a report counts, although the test is known as flaky", async () => {
  await open(async (job) => job.conclusion);
  await showFlake();
  await stage.client.updateQueue({ ...stage.queue, policy: "fixed" });
  const pr = await stage.openPullRequest("flaky", { "facts/flaky.json": '{"flaky":1}\n' });
  await stage.client.submitPullRequest({ ...stage.queue, pr: { number: pr } });
  expect((await stage.until(pr, "failed")).reason).toBe("CHECKS_FAILED");
});

test("a new test that fails once in the queue has its job rerun if the repository's settings allow it", async () => {
  const older = '<testsuite name="checkout" tests="1"><testcase name="ships"/></testsuite>';
  let hasNewTest = false;
  await open(async (job) =>
    hasNewTest ? upload(job) : (await uploadStep.take(job, older, false, {})).conclusion,
  );
  await stage.client.updateTestSettings({ repo: stage.queue.repo, retry_new_tests: true });
  const merge = async (pr: number) => {
    await stage.client.submitPullRequest({ ...stage.queue, pr: { number: pr } });
    await stage.until(pr, "merged");
    return stage.untilCommented(pr, /\*\*Merged\*\*/);
  };
  // It is opened before the other one merges, so that the queue tests another tree than that of its own branch.
  const flaky = await stage.openPullRequest("flaky", { "facts/flaky.json": '{"flaky":1}\n' });
  expect(await merge(await stage.openPullRequest("first"))).not.toContain("ran again");
  hasNewTest = true;
  expect(await merge(flaky)).toContain("New tests failed, and passed in a re-run: pays by card.");
});

test("a known flaky test that fails again in the re-run evicts, and may be submitted once more", async () => {
  await open((job) =>
    upload(job.branch.startsWith("trainyard-merge/") ? { ...job, conclusion: "failure" } : job, {
      quarantine: "false",
    }),
  );
  await showFlake();
  await stage.client.updateQueue({ ...stage.queue, policy: "fixed" });
  const pr = { number: await stage.openPullRequest("unlucky") };
  await stage.client.submitPullRequest({ ...stage.queue, pr });
  await stage.until(pr.number, "failed");
  await stage.untilCommented(pr.number, /Failed tests: `pays by card`\./);
  const { verdict } = await stage.client.explainPullRequest({ ...stage.queue, pr });
  const failingTests = [{ untrustedName: "pays by card", isKnownFlaky: true }];
  const left = { cause: "flaky_or_infrastructure", failingTests };
  expect(verdict).toMatchObject({ left, nextAction: "requeue", safeToRequeue: true, attemptsOnHead: 1 });
  await stage.client.submitPullRequest({ ...stage.queue, pr });
  await stage.until(pr.number, "failed");
  const again = await stage.client.explainPullRequest({ ...stage.queue, pr });
  expect(again.verdict).toMatchObject({
    left,
    nextAction: "ask_person",
    safeToRequeue: false,
    attemptsOnHead: 2,
  });
});
