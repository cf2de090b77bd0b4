import { afterEach, expect, test } from "@jest/globals";
import { commitOn, tipOf } from "../sandbox/commit-on-branch.ts";
import { eventually } from "./eventually.ts";
import { Stage } from "./stage.ts";
import type { StageOptions } from "./stage-options.ts";

let stage: Stage;
let held = Promise.withResolvers<"success">();

afterEach(async () => {
  held.resolve("success");
  await stage.close();
});

/** A stage on which tests in the queue do not end. */
async function open(settings: StageOptions["queue"] = {}): Promise<void> {
  held = Promise.withResolvers();
  const { promise } = held;
  const lastStep = async ({ branch, conclusion }: { branch: string; conclusion: "success" | "failure" }) =>
    branch.startsWith("trainyard-merge/") ? promise : conclusion;
  stage = await Stage.open({ queue: settings, ci: { lastStep } });
}

/** Submits a pull request, and returns it with its test branch. */
async function queue(name: string) {
  const pr = await stage.openPullRequest(name);
  const branch = await testBranchOf(pr);
  const { data } = await stage.octokit("alice").rest.pulls.get({ ...at, pull_number: pr });
  return { pr, branch, headSha: data.head.sha };
}

/** Submits pull requests, and returns the test branch of the first run. */
async function testBranchOf(...prs: readonly number[]): Promise<string> {
  for (const pr of prs) await stage.client.submitPullRequest({ ...stage.queue, pr: { number: pr } });
  const alice = stage.octokit("alice");
  return eventually(async () => {
    const { data } = await alice.rest.git.listMatchingRefs({ ...at, ref: "heads/trainyard-merge/" });
    return data[0]?.ref.replace("refs/heads/", "") ?? null;
  }, "the test branch");
}

const at = { owner: "acme", repo: "widgets" };
let runs = 0;

/** Uploads a failure and a pass of a test on one tree of its own. */
async function flip(name: string, upload: object): Promise<void> {
  runs += 1;
  for (const attempt of [1, 2])
    await stage.client.uploadTestResults({
      ...{ repo: stage.queue.repo, job: "test", run_id: String(runs), run_attempt: attempt },
      ...{ branch: "change", kind: "pr", head_sha: "0".repeat(40) },
      ...{ tree_sha: String(runs).padEnd(40, "e"), step_failed: attempt === 1 },
      reports: [
        {
          path: "a.xml",
          content: `<testsuite><testcase name="${name}">${attempt === 1 ? '<failure message="no"/>' : ""}</testcase></testsuite>`,
        },
      ],
      ...upload,
    });
}

/** The names of all flaky tests, once `witness` is one of them. Results are evaluated in order. */
async function flakyOnceEvaluated(witness: string): Promise<readonly string[]> {
  await flip(witness, { kind: "stable", branch: "main" });
  return eventually(async () => {
    const page = { repo: stage.queue.repo, org_url_slug: "acme", page_query: { page_size: 100 } };
    const { unhealthy_tests } = await stage.client.listUnhealthyTests(page);
    const names = unhealthy_tests.map(({ name }) => name);
    return names.includes(witness) ? names : null;
  }, `${witness} to be flaky`);
}

test("a race that a stack of pull requests introduces marks no test as flaky, even when it also fails in the queue", async () => {
  await open();
  const alice = stage.octokit("alice");
  const main = await tipOf(alice, "main");
  const inPullRequest = (pr: number, head_sha: string) =>
    flip("races", { pr: { number: pr }, head_sha, base_branch: "main" });
  const independent = (pr: number) =>
    commitOn(alice, main, { [`${pr}.txt`]: "a" }).then((sha) => inPullRequest(pr, sha));

  let stacked = main;
  for (const pr of [101, 102, 103, 104, 105]) {
    stacked = await commitOn(alice, stacked, { [`${pr}.txt`]: "a" });
    await inPullRequest(pr, stacked);
  }
  expect(await flakyOnceEvaluated("first witness")).not.toContain("races");

  for (const pr of [201, 202]) await independent(pr);
  const { pr, branch, headSha } = await queue("queued");
  await inPullRequest(pr, headSha);
  await flip("races", { kind: "queue", branch, head_sha: await tipOf(alice, branch) });
  expect(await flakyOnceEvaluated("second witness")).not.toContain("races");

  await independent(203);
  expect(await flakyOnceEvaluated("third witness")).toContain("races");
});

test("a pull request that breaks a flaky test is forgiven once, and not in the queue", async () => {
  await open();
  await flakyOnceEvaluated("blinks");
  await flip("blinks", { kind: "stable", branch: "main" });
  const { pr, branch, headSha } = await queue("breaks");
  const fails = async (upload: object) => {
    const failed = { branch: "change", kind: "pr", pr: { number: pr }, head_sha: headSha } as const;
    runs += 1;
    const { verdict } = await stage.client.uploadTestResults({
      ...{ repo: stage.queue.repo, job: "test", run_id: String(runs), step_failed: true, ...failed },
      ...{ tree_sha: String(runs).padEnd(40, "e"), base_branch: "main" },
      reports: [
        {
          path: "a.xml",
          content: `<testsuite><testcase name="blinks"><failure message="the light is gone"/></testcase></testsuite>`,
        },
      ],
      ...upload,
    });
    return verdict;
  };
  expect(await fails({})).toBe("quarantined");
  await flakyOnceEvaluated("witness");
  expect(await fails({})).toBe("failed");
  const inQueue = { kind: "queue", branch, head_sha: await tipOf(stage.octokit("alice"), branch) } as const;
  expect(await fails({ ...inQueue, pr: undefined })).toBe("failed");
  expect(await fails({ pr: { number: pr + 1 } })).toBe("quarantined");
});

test("a batch may lack the tests that any of its pull requests deletes, and no others", async () => {
  await open({ policy: "fixed", batch: true, batchingMinSize: 2 });
  const [first, second] = [await stage.openPullRequest("first"), await stage.openPullRequest("second")];
  const upload = async (tests: readonly string[], facts: object) => {
    runs += 1;
    const cases = tests.map(
      (name) => `<testcase name="${name}">${name === "blinks" ? "<failure/>" : ""}</testcase>`,
    );
    return await stage.client.uploadTestResults({
      ...{ repo: stage.queue.repo, job: "test", run_id: String(runs), branch: "change", kind: "pr" },
      ...{ head_sha: "0".repeat(40), tree_sha: String(runs).padEnd(40, "e"), base_branch: "main" },
      step_failed: tests.includes("blinks"),
      reports: [{ path: "a.xml", content: `<testsuite>${cases.join("")}</testsuite>` }],
      ...facts,
    });
  };
  const { failed } = await upload(["blinks"], { job: "other" });
  await stage.client.setQuarantine({
    ...{ repo: stage.queue.repo, test_case_id: failed[0]?.id ?? "" },
    ...{ quarantine_setting: "ALWAYS_QUARANTINE", reason: "it blinks" },
  });
  await upload(["spins", "turns", "stops"], { kind: "stable", branch: "main" });
  await upload(["spins", "turns", "stops", "flies"], { pr: { number: first } });
  await upload(["spins", "stops"], { pr: { number: second } });
  const inQueue = { kind: "queue", branch: await testBranchOf(first, second) };
  expect(await upload(["spins", "stops", "blinks"], inQueue)).toMatchObject({ verdict: "quarantined" });
  expect(await upload(["spins", "blinks"], inQueue)).toMatchObject({
    ...{ verdict: "unknown", code: "TESTS_MISSING" },
    message: expect.stringContaining('("stops")'),
  });
});
