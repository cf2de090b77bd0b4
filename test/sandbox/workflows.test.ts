import { describe, expect, test } from "@jest/globals";
import type { FinishingJob } from "../../tools/sandbox/ci/ci-settings.ts";
import { includes } from "../../tools/sandbox/ci/triggers.ts";
import { expandJobs } from "../../tools/sandbox/ci/workflow.ts";
import { eventually } from "../scenarios/eventually.ts";
import { branchWith, commitOn, openPull, tipOf } from "./commit-on-branch.ts";
import { CI_APP_ID, inSandbox, refusal, type Scene, target } from "./scene.ts";

const expression = (names: string) => `$\{{ ${names} }}`;
const quick = { durationMs: [5, 15] as const };
const endless = { durationMs: [60_000, 60_000] as const };

const checksOn = async (octokit: Scene["asAlice"], ref: string) => {
  const { data } = await octokit.rest.checks.listForRef({ ...target, ref });
  return Object.fromEntries(data.check_runs.map(({ name, conclusion }) => [name, conclusion]));
};

const started = ({ sandbox }: Pick<Scene, "sandbox">) =>
  sandbox
    .workflowRuns("acme/widgets")
    .map(({ workflow, event, headBranch }) => `${workflow} ${event} ${headBranch}`);

const conclusions = ({ sandbox }: Pick<Scene, "sandbox">) =>
  sandbox.workflowRuns("acme/widgets").map(({ headBranch, conclusion }) => `${headBranch} ${conclusion}`);

describe("filter patterns", () => {
  test.each([
    [["main"], "main", true],
    [["main"], "mainly", false],
    [["releases/**"], "releases/beta/3-alpha", true],
    [["releases/*"], "releases/beta/3-alpha", false],
    [["*"], "feature", true],
    [["*"], "feature/one", false],
    [["**"], "feature/one", true],
    [["v[12].[0-9]+"], "v1.10", true],
    [["v[12].[0-9]+"], "v3.1", false],
    [["*.jsx?"], "page.js", true],
    [["**/docs/**"], "docs/a.md", true],
    [["**.md"], "a/b.md", true],
    [["releases/**", "!releases/**-alpha"], "releases/10-alpha", false],
    [["!releases/**-alpha", "releases/**"], "releases/10-alpha", true],
    [["v1.0"], "v1x0", false],
    [[], "main", false],
  ])("%j include the name %s: %s", (patterns, name, expected) => {
    expect(includes(patterns, name)).toBe(expected);
  });
});

test("workflows run on the branches or pull requests that their triggers name, and on all branches by default", () =>
  inSandbox(
    async (scene) => {
      const { asAlice, sandbox } = scene;
      await branchWith(asAlice, "trainyard-merge/pr-1/a", { a: "1" });
      await openPull(asAlice, "feature", { b: "1" });
      await sandbox.settled();
      expect(started(scene)).toEqual([
        "Everywhere push trainyard-merge/pr-1/a",
        "Staging push trainyard-merge/pr-1/a",
        "Everywhere push feature",
        "Others push feature",
        "DCO pull_request feature",
      ]);
    },
    {},
    {
      ci: {
        ...quick,
        workflows: [
          { name: "Everywhere", on: { push: {} }, jobs: ["build"] },
          { name: "Staging", on: { push: { branches: ["trainyard-merge/**"] } }, jobs: ["stage"] },
          { name: "Others", on: { push: { branchesIgnore: ["trainyard-*/**"] } }, jobs: ["lint"] },
          { name: "DCO", on: { pull_request: { branches: ["main"] } }, jobs: ["dco"] },
          { name: "Backports", on: { pull_request: { branches: ["v*"] } }, jobs: ["backport"] },
        ],
      },
    },
  ));

describe("path filters", () => {
  const ci = {
    ...quick,
    workflows: [
      {
        name: "Code",
        on: { push: { paths: ["src/**"] }, pull_request: { paths: ["src/**"] } },
        jobs: ["build"],
      },
      { name: "NoDocs", on: { push: { pathsIgnore: ["docs/**"] } }, jobs: ["test"] },
    ],
  };

  test("compare a branch before and after its push", () =>
    inSandbox(
      async (scene) => {
        const { asAlice, sandbox } = scene;
        const first = await branchWith(asAlice, "one", { "src/a": "1" });
        const second = await commitOn(asAlice, first, { "docs/a": "1" });
        await asAlice.rest.git.updateRef({ ...target, ref: "heads/one", sha: second });
        await sandbox.settled();
        expect(started(scene)).toEqual(["Code push one", "NoDocs push one"]);
      },
      {},
      { ci },
    ));

  test("compare a new branch with the parent of its deepest commit that no branch has", () =>
    inSandbox(
      async (scene) => {
        const { asAlice, sandbox } = scene;
        const src = await commitOn(asAlice, await tipOf(asAlice, "main"), { "src/a": "1" });
        const docs = await commitOn(asAlice, src, { "docs/a": "1" });
        await asAlice.rest.git.createRef({ ...target, ref: "refs/heads/both", sha: docs });
        const more = await commitOn(asAlice, docs, { "docs/b": "1" });
        await asAlice.rest.git.createRef({ ...target, ref: "refs/heads/docs-only", sha: more });
        await sandbox.settled();
        expect(started(scene)).toEqual(["Code push both", "NoDocs push both"]);
      },
      {},
      { ci },
    ));

  test("start nothing for a new branch whose commits are all on another branch", () =>
    inSandbox(
      async (scene) => {
        const { asAlice, sandbox } = scene;
        const sha = await branchWith(asAlice, "one", { "src/a": "1" });
        await asAlice.rest.git.createRef({ ...target, ref: "refs/heads/two", sha });
        await sandbox.settled();
        expect(started(scene)).toEqual(["Code push one", "NoDocs push one"]);
      },
      {},
      { ci },
    ));

  test("compare a pull request with its merge base", () =>
    inSandbox(
      async (scene) => {
        const { asAlice, sandbox } = scene;
        sandbox.setCi("acme/widgets", { ...ci, workflows: ci.workflows.slice(0, 1) });
        const main = await tipOf(asAlice, "main");
        const sha = await commitOn(asAlice, main, { "src/a": "1" });
        await asAlice.rest.git.updateRef({ ...target, ref: "heads/main", sha });
        await openPull(asAlice, "docs", { "docs/a": "1" });
        await openPull(asAlice, "code", { "src/b": "1" });
        await sandbox.settled();
        const pulls = started(scene).filter((run) => run.includes("pull_request"));
        expect(pulls).toEqual(["Code pull_request code"]);
      },
      {},
      { ci },
    ));
});

describe("a concurrency group", () => {
  /** @param ending the jobs end after it */
  const grouped = (group: string, cancelInProgress: boolean, ending: Promise<void> | null = null) => ({
    ci: {
      ...quick,
      lastStep: async ({ conclusion }: FinishingJob) => {
        await ending;
        return conclusion;
      },
      workflows: [
        { name: "CI", on: { push: {} }, concurrency: { group, cancelInProgress }, jobs: ["build"] },
      ],
    },
  });

  test("with cancel-in-progress keeps the newest run, and the others end as cancelled", () => {
    const pushed = Promise.withResolvers<void>();
    return inSandbox(
      async (scene) => {
        const { asAlice, sandbox } = scene;
        const one = await branchWith(asAlice, "one", { a: "1" });
        await branchWith(asAlice, "two", { b: "1" });
        await branchWith(asAlice, "three", { c: "1" });
        pushed.resolve();
        await sandbox.settled();
        expect(conclusions(scene)).toEqual(["one cancelled", "two cancelled", "three success"]);
        expect(await checksOn(asAlice, one)).toEqual({ build: "cancelled" });
      },
      {},
      grouped("ci", true, pushed.promise),
    );
  });

  test("without cancel-in-progress has one running and one pending run, and an older pending run is cancelled without a job", () => {
    const pushed = Promise.withResolvers<void>();
    return inSandbox(
      async (scene) => {
        const { asAlice, sandbox } = scene;
        await branchWith(asAlice, "one", { a: "1" });
        const two = await branchWith(asAlice, "two", { b: "1" });
        const { data: waiting } = await asAlice.rest.actions.listWorkflowRunsForRepo({
          ...target,
          head_sha: two,
        });
        expect(waiting.workflow_runs).toMatchObject([{ status: "pending", conclusion: null }]);
        await branchWith(asAlice, "three", { c: "1" });
        pushed.resolve();
        await sandbox.settled();
        expect(conclusions(scene)).toEqual(["one success", "two cancelled", "three success"]);
        expect(await checksOn(asAlice, two)).toEqual({});
        const { data } = await asAlice.rest.checks.listSuitesForRef({
          ...target,
          ref: two,
          app_id: CI_APP_ID,
        });
        expect(data.check_suites).toMatchObject([{ status: "completed", conclusion: "cancelled" }]);
      },
      {},
      grouped("ci", false, pushed.promise),
    );
  });

  test.each([
    `ci-${expression("github.ref")}`,
    `${expression("github.workflow")}-${expression("github.head_ref || github.run_id")}`,
  ])("named %s is separate for each branch", (group) =>
    inSandbox(
      async (scene) => {
        const { asAlice, sandbox } = scene;
        await branchWith(asAlice, "one", { a: "1" });
        await branchWith(asAlice, "two", { b: "1" });
        await sandbox.settled();
        expect(conclusions(scene)).toEqual(["one success", "two success"]);
      },
      {},
      grouped(group, true),
    ),
  );

  test("with an expression that the sandbox does not know is refused", () =>
    inSandbox(async ({ sandbox }) => {
      const { ci } = grouped(expression("inputs.x"), true);
      expect(() => sandbox.setCi("acme/widgets", ci)).toThrow("inputs.x is not known");
    }));
});

test("a cancelled run ends with cancelled checks, cannot be cancelled again, and gets a new attempt when it is rerun", () =>
  inSandbox(
    async (scene) => {
      const { asAlice, asCarol, sandbox } = scene;
      const sha = await branchWith(asAlice, "one", { a: "1" });
      const [run] = sandbox.workflowRuns("acme/widgets");
      const which = { ...target, run_id: run?.id ?? 0 };
      expect((await refusal(asCarol.rest.actions.cancelWorkflowRun(which))).status).toBe(403);
      expect(await refusal(asAlice.rest.actions.reRunWorkflow(which))).toMatchObject({ status: 403 });
      expect((await asAlice.rest.actions.cancelWorkflowRun(which)).status).toBe(202);
      await sandbox.settled();
      expect(await checksOn(asAlice, sha)).toEqual({ build: "cancelled", test: "cancelled" });
      expect(await refusal(asAlice.rest.actions.cancelWorkflowRun(which))).toEqual({
        status: 409,
        message: "Cannot cancel a workflow run that is completed.",
      });
      sandbox.setCi("acme/widgets", { ...quick, branches: ["**"] });
      await asAlice.rest.actions.reRunWorkflow(which);
      await sandbox.settled();
      expect(await checksOn(asAlice, sha)).toEqual({ build: "success", test: "success" });
      const { data } = await asAlice.rest.actions.getWorkflowRun(which);
      expect(data).toMatchObject({ run_attempt: 2, conclusion: "success" });
    },
    {},
    { ci: { ...endless, branches: ["**"] } },
  ));

test("a run of a workflow file that is not valid fails without a job", () =>
  inSandbox(
    async ({ asAlice, sandbox }) => {
      const sha = await branchWith(asAlice, "one", { a: "1" });
      await sandbox.settled();
      expect(await checksOn(asAlice, sha)).toEqual({});
      const { rest } = asAlice;
      const { data } = await rest.checks.listSuitesForRef({ ...target, ref: sha, app_id: CI_APP_ID });
      expect(data.check_suites).toMatchObject([{ status: "completed", conclusion: "failure" }]);
      const { data: listed } = await rest.actions.listWorkflowRunsForRepo({ ...target, head_sha: sha });
      expect(listed.workflow_runs).toMatchObject([
        { path: ".github/workflows/ci.yml", check_suite_id: data.check_suites[0]?.id, conclusion: "failure" },
      ]);
    },
    {},
    { ci: { workflows: [{ name: "CI", on: { push: {} }, jobs: ["build"], isInvalid: true }] } },
  ));

test("a single job of a run can be rerun", () =>
  inSandbox(
    async ({ asAlice, sandbox }) => {
      const sha = await branchWith(asAlice, "trainyard-merge/a", { a: "1" });
      await sandbox.settled();
      const { data } = await asAlice.rest.checks.listForRef({ ...target, ref: sha, check_name: "test" });
      const job_id = data.check_runs[0]?.id ?? 0;
      expect((await asAlice.rest.actions.reRunJobForWorkflowRun({ ...target, job_id })).status).toBe(201);
      await sandbox.settled();
      const { data: all } = await asAlice.rest.checks.listForRef({ ...target, ref: sha, filter: "all" });
      expect(all.check_runs.map(({ name }) => name).sort()).toEqual(["build", "test", "test"]);
    },
    {},
    { ci: quick },
  ));

test("jobs of a matrix, of a reusable workflow, and with a condition have GitHub's names", () =>
  inSandbox(
    async ({ asAlice, sandbox }) => {
      const sha = await branchWith(asAlice, "one", { "facts/a.json": '{"broken":true}' });
      await sandbox.settled();
      expect(await checksOn(asAlice, sha)).toEqual({
        "test (20)": "success",
        "test (22)": "success",
        "shared / build": "failure",
        "shared / docs (en)": "success",
        title: "skipped",
        preview: "skipped",
      });
    },
    {},
    {
      ci: {
        ...quick,
        workflows: [
          {
            name: "CI",
            jobs: [
              { name: "test", matrix: [20, 22] },
              { name: "shared", calls: [{ name: "build" }, { name: "docs", matrix: ["en"] }] },
              { name: "title", onlyOn: "pull_request" },
              { name: "preview", onlyOn: "pull_request", matrix: ["a", "b"] },
            ],
          },
        ],
      },
    },
  ));

test("a matrix job that calls a reusable workflow has both names", () => {
  const jobs = [{ name: "ci", matrix: [1], calls: [{ name: "test" }] }];
  expect(expandJobs(jobs, "push").map(({ check }) => check)).toEqual(["ci (1) / test"]);
});

test("the jobs of an owner's repositories wait for a free runner", () =>
  inSandbox(
    async ({ asAlice, sandbox }) => {
      const one = await branchWith(asAlice, "trainyard-merge/a", { a: "1" });
      const two = await branchWith(asAlice, "trainyard-merge/b", { b: "1" });
      const statuses = async (ref: string) => {
        const { data } = await asAlice.rest.checks.listForRef({ ...target, ref });
        return data.check_runs.map(({ status }) => status).sort();
      };
      const until = (ref: string, wanted: readonly string[]) =>
        eventually(
          async () => (String(await statuses(ref)) === String(wanted) ? true : null),
          String(wanted),
        );
      const cancel = async (place: number) => {
        const run_id = sandbox.workflowRuns("acme/widgets")[place]?.id ?? 0;
        await asAlice.rest.actions.cancelWorkflowRun({ ...target, run_id });
      };
      await until(one, ["in_progress", "in_progress"]);
      await until(two, ["in_progress", "queued"]);
      await cancel(0);
      await until(two, ["in_progress", "in_progress"]);
      await cancel(1);
    },
    { runners: 3 },
    // Longer than the test looks at them, also on a busy machine.
    { ci: { durationMs: [600_000, 600_000] } },
  ));

test("other Apps report checks and statuses on the pull requests or branches that they watch", () =>
  inSandbox(
    async ({ asAlice, sandbox }) => {
      const pull = await openPull(asAlice, "feature", { a: "1" });
      const branch = await branchWith(asAlice, "trainyard-merge/a", { b: "1" });
      const statusesOn = async (ref: string) => {
        const { data } = await asAlice.rest.repos.getCombinedStatusForRef({ ...target, ref });
        return data.statuses.map(({ context, state }) => `${context} ${state}`);
      };
      expect(await statusesOn(branch)).toEqual(["coverage pending"]);
      await sandbox.settled();
      expect(await checksOn(asAlice, pull.sha)).toEqual({ DCO: "success" });
      expect(await statusesOn(pull.sha)).toEqual([]);
      expect(await checksOn(asAlice, branch)).toEqual({});
      expect(await statusesOn(branch)).toEqual(["coverage failure"]);
    },
    {},
    {
      ci: {
        workflows: [],
        reporters: [
          { app: "DCO", reports: "check_run", name: "DCO", on: { pull_request: {} }, afterMs: 10 },
          {
            app: "Covered",
            reports: "status",
            name: "coverage",
            on: { push: { branches: ["trainyard-merge/**"] } },
            afterMs: 4_000,
            conclusion: "failure",
          },
        ],
      },
    },
  ));
