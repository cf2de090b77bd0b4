import type { FinishingJob } from "../../../tools/sandbox/ci/ci-settings.ts";
import { eventually } from "../eventually.ts";
import type { Place } from "./place.ts";
import type { Removal } from "./removal.ts";

const broken = { "facts/one.json": '{"broken":true}\n' };
const onTestBranches = { push: { branches: ["trainyard-merge/**"] } };

/** Holds the jobs of a pull request, or of all, until the end. */
export function hold(place: Place, pr?: number): void {
  place.job = (job) =>
    pr === undefined || job.branch.startsWith(`trainyard-merge/pr-${pr}/`)
      ? place.gate.lastStep(job)
      : Promise.resolve(job.conclusion);
}

export async function failed(place: Place, pr: number): Promise<number> {
  await place.until(pr, "failed");
  return pr;
}

/** A check of another App that ends with this conclusion on every test branch. */
export function deployment(
  conclusion: "timed_out" | "action_required" | "stale" | "neutral" | "success" | "failure",
  reports: "check_run" | "status" = "check_run",
) {
  return {
    reporters: [{ app: "Deployments", reports, name: "deploy", on: onTestBranches, afterMs: 30, conclusion }],
  };
}

/** The report of a job in which these of its tests fail. */
function reportOf(names: readonly string[]): string {
  const cases = ["pays by card", "pays by cheque", "ships"].map((name) => {
    const failure = names.includes(name) ? '<failure message="declined"/>' : "";
    return `<testcase name="${name}">${failure}</testcase>`;
  });
  return `<testsuite name="checkout" tests="3" failures="${names.length}">${cases.join("")}</testsuite>`;
}

function uploadOf(place: Place, names: readonly string[]) {
  return {
    ...{ repo: place.queue.repo, kind: "queue" as const, workflow: "CI", job: "test", variant: "Linux" },
    step_failed: names.length > 0,
    reports: [{ path: "junit.xml", content: reportOf(names) }],
  };
}

/** Lets the job `test` report these tests as failed, and end as the service judges that. */
function failIn(place: Place, names: readonly string[], quarantine = true): void {
  place.job = async (job: FinishingJob) => {
    if (job.job !== "test") return job.conclusion;
    const { verdict } = await place.stage.client.uploadTestResults({
      ...{ ...uploadOf(place, names), quarantine },
      ...{ head_sha: job.sha, tree_sha: job.tree, branch: job.branch },
      ...{ run_id: String(job.runId), run_attempt: job.runAttempt },
    });
    return verdict === "failed" ? "failure" : "success";
  };
}

/** Reports a failure and a pass of the test on one tree of main, and waits until it is known as flaky. */
async function showFlake(place: Place): Promise<void> {
  for (const run_attempt of [1, 2])
    await place.stage.client.uploadTestResults({
      ...uploadOf(place, run_attempt === 1 ? ["pays by card"] : []),
      ...{ head_sha: "c".repeat(40), tree_sha: "b".repeat(40), branch: "main", kind: "stable" },
      ...{ run_id: "1", run_attempt },
    });
  const list = { repo: place.queue.repo, org_url_slug: place.at.owner, page_query: { page_size: 10 } };
  await eventually(async () => {
    const { unhealthy_tests: found } = await place.stage.client.listUnhealthyTests(list);
    const test = found.find(({ name }) => name === "pays by card");
    return test ? true : null;
  }, "the test to be known as flaky");
}

export const batched = { batch: true, batchingMinSize: 2, batchingMaxWaitTimeMinutes: 1 } as const;

/** Opens pull requests of which the one with this number is broken, and submits them at once. */
export async function batch(place: Place, size: number, culprit: number): Promise<void> {
  for (let pr = 1; pr <= size; pr++)
    await place.openPullRequest(`pr-${pr}`, { [`facts/${pr}.json`]: `{"broken":${pr === culprit}}\n` });
  for (let pr = 1; pr <= size; pr++) await place.submit(pr);
}

export const checksFailed = {
  reason: "CHECKS_FAILED",
  cause: "required_check_failed",
  next: "push_fix",
} as const;
export const merged = { reason: "MERGED_IN_ORDER", cause: null, next: "none" } as const;

/** What CI says about a pull request. */
export const inTests: readonly Removal[] = [
  {
    name: "a required check fails",
    play: async (place) => failed(place, await place.submitted("one", broken)),
    ...{ ...checksFailed, jobs: { build: "failure" }, again: "ends the same" },
  },
  {
    name: "a required check fails only together with main",
    play: async (place) => {
      const pr = await place.openPullRequest("one", { "facts/one.json": '{"sets":["x"]}\n' });
      await place.pushToMain({ "facts/policy.json": '{"forbids":["x"]}\n' });
      await place.submit(pr);
      return failed(place, pr);
    },
    ...{ ...checksFailed, jobs: { test: "failure" }, again: "ends the same" },
  },
  {
    name: "a required status fails",
    place: { queue: { requiredStatuses: ["deploy"] }, ci: deployment("failure", "status") },
    play: async (place) => failed(place, await place.submitted("one")),
    ...{ ...checksFailed, jobs: { deploy: "failure" } },
  },
  {
    name: "a required check runs into its own time limit",
    place: { queue: { requiredStatuses: ["deploy"] }, ci: deployment("timed_out") },
    play: async (place) => failed(place, await place.submitted("one")),
    ...{ ...checksFailed, jobs: { deploy: "timed_out" } },
  },
  {
    name: "a required check asks for an action by a person",
    place: { queue: { requiredStatuses: ["deploy"] }, ci: deployment("action_required") },
    play: async (place) => failed(place, await place.submitted("one")),
    ...{ ...checksFailed, next: "ask_person", jobs: { deploy: "action_required" }, again: "ends the same" },
  },
  {
    name: "a required check is neutral",
    place: { queue: { requiredStatuses: ["deploy"] }, ci: deployment("neutral") },
    play: async (place) => {
      const pr = await place.submitted("one");
      await place.until(pr, "merged");
      return pr;
    },
    ...merged,
  },
  {
    name: "many checks with long names fail",
    place: {
      queue: { requiredStatuses: Array.from({ length: 12 }, (_, n) => `check ${n} ${"x".repeat(200)}`) },
      ci: { checks: Array.from({ length: 12 }, (_, n) => `check ${n} ${"x".repeat(200)}`) },
    },
    play: async (place) => {
      place.job = async () => "failure";
      return failed(place, await place.submitted("one"));
    },
    ...checksFailed,
    jobs: Object.fromEntries(
      Array.from({ length: 5 }, (_, n) => [`check ${n} ${"x".repeat(91)}…`, "failure"]),
    ),
  },
  {
    name: "a known flaky test fails twice",
    place: { queue: { flakyRetries: 1 } },
    play: async (place) => {
      await showFlake(place);
      failIn(place, ["pays by card"], false);
      return failed(place, await place.submitted("one"));
    },
    ...{ reason: "CHECKS_FAILED", cause: "flaky_or_infrastructure", next: "requeue", again: "merges" },
    ...{ jobs: { test: "failure" }, tests: { "pays by card": true } },
    meanwhile: async (place) => failIn(place, []),
  },
  {
    name: "a known flaky test fails twice, and bots may not submit the same head again",
    place: {
      queue: { flakyRetries: 1 },
      repository: { files: { ".github/trainyard.yml": "requeuesByBots: 0\n" } },
    },
    play: async (place) => {
      await showFlake(place);
      failIn(place, ["pays by card"], false);
      return failed(place, await place.submitted("one"));
    },
    ...{ reason: "CHECKS_FAILED", cause: "flaky_or_infrastructure", next: "ask_person", again: "is refused" },
    ...{ jobs: { test: "failure" }, tests: { "pays by card": true } },
  },
  {
    name: "a quarantined test fails beside another one",
    play: async (place) => {
      await showFlake(place);
      failIn(place, ["pays by card", "pays by cheque"]);
      return failed(place, await place.submitted("one"));
    },
    ...{ ...checksFailed, jobs: { test: "failure" }, again: "ends the same" },
    tests: { "pays by cheque": false, "pays by card": true },
  },
  {
    name: "it breaks the batch of two that it is in",
    place: { queue: batched },
    play: async (place) => {
      await batch(place, 2, 2);
      return failed(place, 2);
    },
    ...{ ...checksFailed, jobs: { build: "failure" } },
  },
  {
    name: "the bisection of a batch of four finds it",
    place: { queue: { ...batched, batchingMinSize: 4, bisectionConcurrency: 2 } },
    play: async (place) => {
      await batch(place, 4, 3);
      return failed(place, 3);
    },
    ...{ ...checksFailed, jobs: { build: "failure" } },
  },
  {
    name: "it breaks a batch whose size follows the load, with the policy adaptive",
    place: { queue: { policy: "adaptive", concurrency: 4, batch: true, batchSizing: "by_load" } },
    play: async (place) => {
      await batch(place, 4, 2);
      return failed(place, 2);
    },
    ...{ ...checksFailed, jobs: { build: "failure" } },
  },
  {
    name: "it fails twice, and main passes by itself, with the policy adaptive",
    place: { queue: { policy: "adaptive" } },
    play: async (place) => failed(place, await place.submitted("one", broken)),
    ...{ ...checksFailed, jobs: { build: "failure" } },
  },
  {
    name: "main fails by itself, with the policy adaptive",
    place: { queue: { policy: "adaptive" } },
    play: async (place) => {
      await place.pushToMain({ "facts/main.json": '{"broken":true}\n' });
      const pr = await place.submitted("one");
      await place.untilTold(
        pr,
        ({ reason, text }) => reason === "NOTHING_PASSES" && text.includes("by itself"),
      );
      return pr;
    },
    ...{ reason: "NOTHING_PASSES", cause: null, next: "wait" },
  },
  {
    name: "it fails once while another one waits, with the policy adaptive",
    place: { queue: { policy: "adaptive", concurrency: 1, state: "paused" } },
    play: async (place) => {
      const pr = await place.openPullRequest("one", broken);
      const other = await place.openPullRequest("other");
      hold(place, other);
      for (const submitted of [pr, other]) await place.submit(submitted);
      await place.configure({ state: "running" });
      await place.untilTold(
        pr,
        ({ reason, verdict }) => reason === "FAILED_ONCE" && verdict.blockedBy.length > 0,
      );
      return pr;
    },
    ...{ reason: "FAILED_ONCE", cause: null, next: "wait", blockedBy: [2] },
  },
  {
    name: "it fails behind a pull request that is still tested",
    place: { queue: { concurrency: 2 } },
    play: async (place) => {
      const ahead = await place.openPullRequest("ahead");
      const pr = await place.openPullRequest("one", broken);
      hold(place, ahead);
      for (const submitted of [ahead, pr]) await place.submit(submitted);
      await place.until(pr, "pending_failure");
      return pr;
    },
    ...{ reason: "CHECKS_FAILED", cause: null, next: "wait", blockedBy: [1] },
  },
  {
    name: "nothing is required",
    place: { queue: { requiredStatuses: [] } },
    play: async (place) => failed(place, await place.submitted("one")),
    ...{ reason: "NO_REQUIRED_CHECKS", cause: "refused", next: "ask_person", again: "ends the same" },
  },
];
