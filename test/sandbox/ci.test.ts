import { expect, test } from "@jest/globals";
import { branchWith, commitOn, openPull, tipOf } from "./commit-on-branch.ts";
import { CI_APP_ID, inSandbox, type Scene, target } from "./scene.ts";

const runsOn = async (octokit: Scene["asAlice"], ref: string) => {
  const { data } = await octokit.rest.checks.listForRef({ ...target, ref, filter: "all", app_id: CI_APP_ID });
  return data.check_runs;
};

const conclusions = async (octokit: Scene["asAlice"], ref: string) =>
  Object.fromEntries((await runsOn(octokit, ref)).map(({ name, conclusion }) => [name, conclusion]));

const sets = (name: string) => ({ [`facts/sets-${name}.json`]: JSON.stringify({ sets: [name] }) });
const forbids = (name: string) => ({ [`facts/forbids-${name}.json`]: JSON.stringify({ forbids: [name] }) });

test("two pull requests that are each green can be red together without a text conflict", () =>
  inSandbox(async ({ asAlice, sandbox }) => {
    const one = await openPull(asAlice, "one", sets("x"));
    const two = await openPull(asAlice, "two", forbids("x"));
    await sandbox.settled();
    expect(await conclusions(asAlice, one.sha)).toEqual({ build: "success", test: "success" });
    expect(await conclusions(asAlice, two.sha)).toEqual({ build: "success", test: "success" });
    await asAlice.rest.git.createRef({ ...target, ref: "refs/heads/trainyard-temp/a", sha: one.sha });
    const { data: both } = await asAlice.rest.repos.merge({
      ...target,
      base: "trainyard-temp/a",
      head: two.sha,
    });
    await asAlice.rest.git.createRef({ ...target, ref: "refs/heads/trainyard-merge/a", sha: both.sha });
    await sandbox.settled();
    expect(await conclusions(asAlice, both.sha)).toEqual({ build: "success", test: "failure" });
    const test = (await runsOn(asAlice, both.sha)).find(({ name }) => name === "test");
    expect(test?.output.summary).toBe('facts/sets-x.json sets "x", which facts/forbids-x.json forbids');
    expect(await sandbox.ci.verdictOf("acme/widgets", both.sha)).toMatchObject({ green: false });
    expect(await sandbox.ci.verdictOf("acme/widgets", both.commit.tree.sha)).toMatchObject({ green: false });
    expect(await sandbox.ci.verdictOf("acme/widgets", "main")).toMatchObject({ green: true });
  }));

test("a pull request is tested as merged into its base", () =>
  inSandbox(async ({ asAlice, sandbox }) => {
    const main = await tipOf(asAlice, "main");
    await asAlice.rest.git.updateRef({
      ...target,
      ref: "heads/main",
      sha: await commitOn(asAlice, main, sets("x")),
    });
    const sha = await commitOn(asAlice, main, forbids("x"));
    await asAlice.rest.git.createRef({ ...target, ref: "refs/heads/old", sha });
    await asAlice.rest.pulls.create({ ...target, title: "Old", head: "old", base: "main" });
    await sandbox.settled();
    expect(await conclusions(asAlice, sha)).toEqual({ build: "success", test: "failure" });
    expect(await sandbox.ci.verdictOf("acme/widgets", sha)).toMatchObject({ green: true });
  }));

test("a check goes from queued through in progress to completed", () => {
  const looked = Promise.withResolvers<void>();
  return inSandbox(
    async ({ asAlice, sandbox }) => {
      const { number, sha } = await openPull(asAlice, "feature", { "facts/a.json": '{"broken":true}' });
      const early = await runsOn(asAlice, sha);
      expect(early.map(({ name }) => name).sort()).toEqual(["build", "lint"]);
      expect(early.every(({ conclusion }) => conclusion === null)).toBe(true);
      looked.resolve();
      await sandbox.settled();
      expect(await conclusions(asAlice, sha)).toEqual({ build: "failure", lint: "success" });
      const { data } = await asAlice.rest.pulls.get({ ...target, pull_number: number });
      expect(data.mergeable_state).toBe("unstable");
    },
    {},
    {
      ci: {
        checks: ["build", "lint"],
        lastStep: async ({ conclusion }) => {
          await looked.promise;
          return conclusion;
        },
      },
    },
  );
});

test("CI runs on the branches and pull requests that its settings name", () =>
  inSandbox(async ({ asAlice, sandbox }) => {
    const count = async (ref: string) => (await runsOn(asAlice, ref)).length;
    expect(await count(await branchWith(asAlice, "trainyard-temp/a", { a: "1" }))).toBe(0);
    expect(await count(await branchWith(asAlice, "trainyard-merge/pr-1/a", { b: "1" }))).toBe(2);
    sandbox.setCi("acme/widgets", { branches: ["staging"], pullRequests: false, durationMs: [1, 2] });
    expect(await count(await branchWith(asAlice, "trainyard-merge/pr-2/a", { c: "1" }))).toBe(0);
    expect(await count(await branchWith(asAlice, "staging", { d: "1" }))).toBe(2);
    expect(await count((await openPull(asAlice, "quiet", { e: "1" })).sha)).toBe(0);
    sandbox.setCi("acme/widgets", null);
    expect(await count(await branchWith(asAlice, "trainyard-merge/pr-3/a", { f: "1" }))).toBe(0);
    const skipped = await openPull(asAlice, "skipped", { g: "1" }, { message: "Typo [skip ci]" });
    expect(await count(skipped.sha)).toBe(0);
  }));

test("a branch and a pull request at one commit get a run and a suite each, and the run of a deleted branch continues", () =>
  inSandbox(async ({ asAlice, sandbox }) => {
    const { sha } = await openPull(asAlice, "trainyard-merge/pr-1/a", { a: "1" });
    await asAlice.rest.git.deleteRef({ ...target, ref: "heads/trainyard-merge/pr-1/a" });
    await sandbox.settled();
    const runs = await runsOn(asAlice, sha);
    expect(runs.map(({ name, conclusion }) => `${name} ${conclusion}`).sort()).toEqual([
      "build success",
      "build success",
      "test success",
      "test success",
    ]);
    expect(new Set(runs.map((run) => run.check_suite?.id)).size).toBe(2);
  }));

test("the green trees are those that CI passed on its branches, without those of pull requests", () =>
  inSandbox(async ({ asAlice, sandbox }) => {
    const treeOf = async (sha: string) =>
      (await asAlice.rest.git.getCommit({ ...target, commit_sha: sha })).data.tree.sha;
    const good = await branchWith(asAlice, "trainyard-merge/good", { a: "1" });
    await branchWith(asAlice, "trainyard-merge/bad", { "facts/b.json": '{"broken":true}' });
    await openPull(asAlice, "feature", { c: "1" });
    await sandbox.settled();
    expect([...(await sandbox.ci.greenTrees("acme/widgets"))]).toEqual([await treeOf(good)]);
  }));

test("a flake fails a good tree, which can pass when it is rerun", () =>
  inSandbox(
    async ({ asAlice, sandbox }) => {
      const sha = await branchWith(asAlice, "trainyard-merge/a", { a: "1" });
      await sandbox.settled();
      expect(await conclusions(asAlice, sha)).toEqual({ build: "failure", test: "failure" });
      expect(await sandbox.ci.verdictOf("acme/widgets", sha)).toMatchObject({ green: true });
      sandbox.setCi("acme/widgets", { flakeRate: 0, durationMs: [1, 2] });
      const [run] = await runsOn(asAlice, sha);
      const again = { ...target, check_suite_id: run?.check_suite?.id ?? 0 };
      expect((await asAlice.rest.checks.rerequestSuite(again)).status).toBe(201);
      await sandbox.settled();
      const { data } = await asAlice.rest.checks.listForRef({ ...target, ref: sha });
      expect(data.check_runs.map(({ conclusion }) => conclusion)).toEqual(["success", "success"]);
      expect(await runsOn(asAlice, sha)).toHaveLength(4);
    },
    {},
    { ci: { flakeRate: 1, durationMs: [1, 2] } },
  ));

test("closing a sandbox ends checks that are under way", async () => {
  const start = performance.now();
  let closed = 0;
  await inSandbox(
    async ({ asAlice, sandbox }) => {
      await branchWith(asAlice, "trainyard-merge/a", { a: "1" });
      await sandbox.close();
      closed = performance.now();
    },
    {},
    { ci: { durationMs: [60_000, 60_000] } },
  );
  expect(closed - start).toBeLessThan(30_000);
});

test("a flaky file fails the given number of runs on test branches, although the tree is good", () =>
  inSandbox(async ({ asAlice, sandbox }) => {
    const { sha } = await openPull(asAlice, "one", { "facts/a.json": '{"flaky":2}' });
    await sandbox.settled();
    expect(await conclusions(asAlice, sha)).toEqual({ build: "success", test: "success" });
    const seen: unknown[] = [];
    for (const name of ["a", "b", "c"]) {
      const commit = await commitOn(asAlice, sha, { [`${name}.txt`]: name });
      await asAlice.rest.git.createRef({ ...target, ref: `refs/heads/trainyard-merge/${name}`, sha: commit });
      await sandbox.settled();
      seen.push((await conclusions(asAlice, commit)).test);
      expect(await sandbox.ci.verdictOf("acme/widgets", commit)).toMatchObject({ green: true });
    }
    expect(seen).toEqual(["failure", "failure", "success"]);
  }));

test("failed jobs can be rerun in their suite once all jobs of the run are over", () => {
  const looked = Promise.withResolvers<void>();
  return inSandbox(
    async ({ asAlice, sandbox }) => {
      const sha = await branchWith(asAlice, "trainyard-merge/pr-1/a", { "facts/a.json": '{"flaky":1}' });
      const { data } = await asAlice.rest.actions.listWorkflowRunsForRepo({ ...target, head_sha: sha });
      const [run] = data.workflow_runs;
      const again = () =>
        asAlice.rest.actions.reRunWorkflowFailedJobs({ ...target, run_id: run?.id ?? 0 }).then(
          ({ status }) => status,
          ({ status }: { status: number }) => status,
        );
      expect(await again()).toBe(403);
      looked.resolve();
      await sandbox.settled();
      expect(await conclusions(asAlice, sha)).toEqual({ build: "success", test: "failure" });
      expect(await again()).toBe(201);
      await sandbox.settled();
      const runs = await runsOn(asAlice, sha);
      expect(runs.map(({ name }) => name).sort()).toEqual(["build", "test", "test"]);
      expect(new Set(runs.map(({ check_suite }) => check_suite?.id)).size).toBe(1);
      const { data: latest } = await asAlice.rest.checks.listForRef({ ...target, ref: sha });
      expect(latest.check_runs.every(({ conclusion }) => conclusion === "success")).toBe(true);
      const { data: read } = await asAlice.rest.actions.getWorkflowRun({ ...target, run_id: run?.id ?? 0 });
      expect(read).toMatchObject({ status: "completed", conclusion: "success", run_attempt: 2 });
      const { data: commit } = await asAlice.rest.git.getCommit({ ...target, commit_sha: sha });
      expect(await sandbox.ci.greenTrees("acme/widgets")).toContain(commit.tree.sha);
      expect(await again()).toBe(403);
    },
    {},
    {
      ci: {
        lastStep: async ({ conclusion }) => {
          await looked.promise;
          return conclusion;
        },
      },
    },
  );
});

test("the last step of a job decides its conclusion", () =>
  inSandbox(
    async ({ asAlice, sandbox }) => {
      const sha = await branchWith(asAlice, "trainyard-merge/pr-1/a", { a: "1" });
      await sandbox.settled();
      expect(await conclusions(asAlice, sha)).toEqual({ build: "success", test: "failure" });
    },
    {},
    { ci: { lastStep: async ({ check, conclusion }) => (check === "test" ? "failure" : conclusion) } },
  ));
