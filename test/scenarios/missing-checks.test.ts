import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import type { Reporter } from "../../tools/sandbox/ci/reporters.ts";
import type { WorkflowOptions } from "../../tools/sandbox/ci/workflow.ts";
import { textOf } from "../dashboard/page-text.ts";
import { eventually } from "./eventually.ts";
import { Gate } from "./gate.ts";
import { Stage } from "./stage.ts";
import type { StageOptions } from "./stage-options.ts";
import { variants } from "./variants.ts";

let stage: Stage;
let offsetMs = 0;
let gate: Gate;

beforeEach(() => {
  gate = new Gate();
});

afterEach(async () => {
  gate.open();
  offsetMs = 0;
  await stage.close();
});

const onTestBranches = { push: { branches: ["trainyard-merge/**"] }, pull_request: {} };
const build: WorkflowOptions = { name: "CI", on: onTestBranches, jobs: ["build"] };

/** A reporter that reports on pull requests and never on a push. */
const dco = (conclusion: Reporter["conclusion"] = "success"): Reporter => ({
  app: "DCO",
  reports: "check_run",
  name: "DCO",
  on: { pull_request: {} },
  afterMs: 50,
  conclusion,
});

interface Scene {
  readonly workflows?: readonly WorkflowOptions[];
  readonly reporters?: readonly Reporter[];
  readonly queue?: StageOptions["queue"];
  readonly durationMs?: readonly [number, number];
  readonly lastStep?: Gate["lastStep"];
}

async function open({
  workflows = [build],
  reporters = [],
  queue = {},
  durationMs = [60, 160],
  lastStep,
}: Scene) {
  stage = await Stage.open({
    queue: { missingCheckMinutes: 10, ...queue },
    requiredChecks: null,
    ci: { workflows, reporters, durationMs, ...(lastStep && { lastStep }) },
    environment: { TRAINYARD_RECONCILE_MS: "200" },
    clock: { now: () => Date.now() + offsetMs },
  });
}

async function report(sha: string, context: string, state: "failure" | "success"): Promise<void> {
  const status = { owner: "acme", repo: "widgets", sha, context, state };
  await stage.octokit("alice").rest.repos.createCommitStatus(status);
}

/** Reports the status of DCO on the head of a pull request. */
async function reportDco(pr: number, state: "failure" | "success"): Promise<void> {
  await report((await stage.pull(pr)).head.sha, "DCO", state);
}

const pass = (minutes: number) => {
  offsetMs += minutes * 60_000;
};

async function submitted(name: string, files?: Record<string, string>): Promise<number> {
  const pr = await stage.openPullRequest(name, files);
  await stage.client.submitPullRequest({ ...stage.queue, pr: { number: pr } });
  return pr;
}

async function causes(pr: number) {
  return (await stage.look(pr))?.why ?? [];
}

/** Waits until the queue explains that the tests are over and a check is missing. */
const untilNoticed = (pr: number) =>
  eventually(
    async () => (await causes(pr)).find(({ code }) => code === "CHECKS_MISSING") ?? null,
    `#${pr} to miss a check`,
  );

/** With a text that the queue says of the check, besides its name. */
const cases: [string, Scene, Record<string, string>, string][] = [
  [
    "reports on pull requests only",
    { reporters: [dco()], queue: { requiredStatuses: ["build", "DCO"] } },
    { "facts/one.json": "{}\n" },
    "DCO",
  ],
  [
    "belongs to a workflow whose path filter leaves the change out",
    {
      workflows: [
        build,
        { name: "Native", on: { push: { paths: ["native/**"] }, pull_request: {} }, jobs: ["DCO"] },
      ],
      queue: { requiredStatuses: ["build", "DCO"] },
    },
    { "docs/one.md": "One.\n" },
    "DCO",
  ],
  ["does not exist", { queue: { requiredStatuses: ["build", "DCO"] } }, { "facts/one.json": "{}\n" }, "DCO"],
  [
    "belongs to a workflow whose file is not valid",
    {
      workflows: [build, { name: "Legal", on: onTestBranches, jobs: ["DCO"], isInvalid: true }],
      queue: { requiredStatuses: ["build", "DCO"] },
    },
    { "facts/one.json": "{}\n" },
    "GitHub could not run .github/workflows/legal.yml",
  ],
];

describe.each(cases)("a required check that %s", (_what, scene, files, said) => {
  test.each(variants(["fixed", "adaptive"]))(
    "fails the test after missingCheckMinutes with its own reason, with the policy %s",
    async (policy) => {
      await open({
        ...scene,
        queue: { ...scene.queue, policy },
        // The second pull request misses no check before the test has looked at it.
        lastStep: async (job) =>
          job.branch.startsWith("trainyard-merge/pr-2/") ? await gate.lastStep(job) : job.conclusion,
      });
      const pr = await submitted("one", files);
      const { text, refs, until } = await untilNoticed(pr);
      for (const part of ["DCO", said]) expect(text).toContain(part);
      expect(refs).toEqual(["DCO"]);
      expect(until).toBeDefined();
      pass(8);
      expect((await stage.look(pr))?.state).toBe("testing");
      pass(3);
      expect(await stage.until(pr, "failed")).toMatchObject({ reason: "REQUIRED_CHECK_MISSING" });
      const comment = await stage.untilCommented(pr, /Removed from the queue/);
      for (const part of ["DCO", said, "acceptFromHead"]) expect(comment).toContain(part);
      // The next pull request gets the explanation when it is submitted.
      const next = await submitted("two", { "docs/two.md": "Two.\n" });
      const why = await causes(next);
      expect(why.map(({ code }) => code)).toContain("CHECKS_NEVER_REPORTED");
      expect(await stage.untilCommented(next, /acceptFromHead/)).toContain("DCO");
    },
  );
});

test("a test that only lacks an invalid workflow file is repeated, and people learn which file that is", async () => {
  await open({ queue: { requiredStatuses: ["build"] } });
  await stage.until(await submitted("one"), "merged");
  stage.sandbox.setCi("acme/widgets", { workflows: [{ ...build, isInvalid: true }] });
  const pr = await submitted("two");
  const seen =
    "GitHub could not run .github/workflows/ci.yml: correct the workflow file, which is probably invalid";
  expect((await untilNoticed(pr)).text).toContain(seen);
  pass(11);
  const { text } = await eventually(
    async () => (await causes(pr)).find(({ code }) => code === "RETRY_SCHEDULED") ?? null,
    "the repetition",
  );
  expect(text).toMatch(
    /^it is tried again .* nothing reported on the test branch: build\. GitHub could not run/,
  );
  expect(text).toContain("at most 2 times in all");
  const page = textOf(await (await fetch(`${stage.pageUrl}/pulls/${pr}`)).text());
  expect(page).toContain(`Required checks have not appeared on the test branch: build. ${seen}.`);
  expect(page).toContain(`Required checks have not appeared: build. ${seen}.`);
  expect(page).toContain(
    `nothing reported on the test branch: build. ${seen}. It is tested again at most 2 times`,
  );
});

test("every member of a batch fails without a bisection when a required check never reports", async () => {
  const queue = {
    requiredStatuses: ["build", "DCO"],
    policy: "fixed",
    batch: true,
    batchingMinSize: 3,
  } as const;
  await open({ reporters: [dco()], queue });
  const prs: number[] = [];
  for (const name of ["one", "two", "three"]) prs.push(await submitted(name));
  await untilNoticed(prs[0] ?? 0);
  pass(11);
  for (const pr of prs)
    expect(await stage.until(pr, "failed")).toMatchObject({ reason: "REQUIRED_CHECK_MISSING" });
  const runs = stage.sandbox
    .workflowRuns("acme/widgets")
    .filter(({ headBranch }) => headBranch?.startsWith("trainyard-merge/"));
  expect(runs).toHaveLength(1);
});

describe.each(variants(["fixed", "adaptive"]))(
  "with the policy %s, a check named in acceptFromHead",
  (policy) => {
    const queue = { policy, requiredStatuses: ["build", "DCO"], acceptFromHead: ["DCO"], concurrency: 3 };

    test.each(
      variants([
        ["one after the other", { concurrency: 1 }],
        ["on top of each other", {}],
        ["as a batch", { batch: true, batchingMinSize: 3, batchingMaxWaitTimeMinutes: 1 }],
      ] as const),
    )("is accepted from the heads of pull requests that are tested %s", async (_how, how) => {
      await open({ reporters: [dco()], queue: { ...queue, ...how } });
      const prs: number[] = [];
      for (const name of ["one", "two", "three"]) prs.push(await stage.openPullRequest(name));
      for (const pr of prs) await stage.client.submitPullRequest({ ...stage.queue, pr: { number: pr } });
      for (const pr of prs) await stage.until(pr, "merged");
    });

    test("delays a pull request while it is pending on the head", async () => {
      await open({ queue });
      const pr = await stage.openPullRequest("one", undefined, { settle: false });
      await stage.client.submitPullRequest({ ...stage.queue, pr: { number: pr } });
      const entry = await stage.until(pr, "not_ready");
      expect(JSON.stringify(entry.why)).toMatch(/\\"DCO\\" has not reported on its head/);
      await reportDco(pr, "success");
      await stage.until(pr, "merged");
    });

    test("blocks a pull request while it has failed on the head", async () => {
      await open({ reporters: [dco("failure")], queue });
      const pr = await submitted("one");
      const entry = await stage.until(pr, "not_ready");
      expect(JSON.stringify(entry.why)).toContain("failed on its head: DCO");
      expect(await stage.untilCommented(pr, /failed on its head/)).toMatch(/push a fix:[\s\S]*DCO/);
    });
  },
);

test("a queued pull request becomes not ready when a required check fails on its head", async () => {
  await open({
    reporters: [{ ...dco(), reports: "status" }],
    queue: { requiredStatuses: ["build", "DCO"], acceptFromHead: ["DCO"] },
    lastStep: gate.lastStep,
  });
  const pr = await stage.openPullRequest("one", undefined, { settle: false });
  await stage.client.submitPullRequest({ ...stage.queue, pr: { number: pr } });
  await stage.until(pr, "testing");
  await reportDco(pr, "failure");
  expect(await stage.until(pr, "not_ready")).toMatchObject({ reason: "HEAD_CHECKS_FAILED" });
  gate.open();
  await reportDco(pr, "success");
  await stage.until(pr, "merged");
});

test("a change of acceptFromHead applies to queued pull requests", async () => {
  await open({ reporters: [dco()], queue: { requiredStatuses: ["build", "DCO"] } });
  const pr = await submitted("one");
  await untilNoticed(pr);
  await stage.client.updateQueue({ ...stage.queue, acceptFromHead: ["DCO"] });
  await stage.until(pr, "merged");
});

test("a slow workflow that reports late does not count as missing", async () => {
  const slow: WorkflowOptions = { name: "Slow", on: onTestBranches, jobs: ["lint", "e2e"] };
  await open({
    workflows: [build, slow],
    queue: { requiredStatuses: ["build", "gate"] },
    lastStep: async ({ workflow, ...job }) =>
      workflow === "Slow" ? await gate.lastStep({ workflow, ...job }) : job.conclusion,
  });
  const pr = await submitted("one");
  await stage.until(pr, "testing");
  await eventually(async () => {
    const details = await stage.client.getMergeQueueTestingDetails(stage.queue);
    const runs = "testRuns" in details ? details.testRuns : [];
    const told = runs.flatMap(({ checkSuites }) => checkSuites.flatMap(({ checkRuns }) => checkRuns));
    return told.filter(({ conclusion }) => conclusion === null).length === 2 && told.length === 3
      ? true
      : null;
  }, "the queue to know of the slow checks");
  pass(30);
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  expect(await stage.look(pr)).toMatchObject({ state: "testing" });
  gate.open();
  // Its jobs are over, so the missing check has its waiting time now.
  await untilNoticed(pr);
  pass(8);
  const [run] = stage.sandbox.workflowRuns("acme/widgets").filter(({ event }) => event === "push");
  await report(run?.headSha ?? "", "gate", "success");
  await stage.until(pr, "merged");
});

test("a missing check does not fail its test before the testing timeout with missingCheckMinutes 0", async () => {
  await open({
    queue: { requiredStatuses: ["build", "typo"], missingCheckMinutes: 0, testingTimeoutMinutes: 60 },
  });
  const pr = await submitted("one");
  await untilNoticed(pr);
  pass(50);
  await new Promise((resolve) => setTimeout(resolve, 600));
  expect((await stage.look(pr))?.state).toBe("testing");
});
