import { expect, test } from "@jest/globals";
import type { Octokit } from "@octokit/rest";
import { commitOn, openPull, tipOf } from "./commit-on-branch.ts";
import { client, inSandbox, refusal, type Scene, target } from "./scene.ts";

/** carol, who may only read acme/widgets, has a fork of it. */
async function forkOfCarols({ sandbox, carol, asCarol }: Scene) {
  await sandbox.createRepository({
    owner: "carol",
    name: "widgets",
    forkOf: "acme/widgets",
    installed: false,
  });
  const fork = { owner: "carol", repo: "widgets" };
  const commit = async (parent: string, path: string) => {
    const { data: before } = await asCarol.rest.git.getCommit({ ...fork, commit_sha: parent });
    const entry = { path, mode: "100644", type: "blob", content: "1" } as const;
    const { data: tree } = await asCarol.rest.git.createTree({
      ...fork,
      base_tree: before.tree.sha,
      tree: [entry],
    });
    const { data } = await asCarol.rest.git.createCommit({
      ...fork,
      message: `Add ${path}`,
      tree: tree.sha,
      parents: [parent],
    });
    return data.sha;
  };
  return { fork, commit, asCarol: client(sandbox, carol.token) };
}

async function openFromFork(scene: Scene) {
  const { fork, commit } = await forkOfCarols(scene);
  const { data: main } = await scene.asCarol.rest.git.getRef({ ...fork, ref: "heads/main" });
  const sha = await commit(main.object.sha, "a.txt");
  await scene.asCarol.rest.git.createRef({ ...fork, ref: "refs/heads/feature", sha });
  const { data: pull } = await scene.asCarol.rest.pulls.create({
    ...target,
    title: "Add a",
    head: "carol:feature",
    base: "main",
  });
  return { fork, commit, sha, pull };
}

const runOf = async (octokit: Octokit, run_id: number) =>
  (await octokit.rest.actions.getWorkflowRun({ ...target, run_id })).data;

test("a pull request from a fork names the fork, is tested in the parent, follows pushes, and merges", () =>
  inSandbox(async (scene) => {
    const { sandbox, asAlice, asCarol } = scene;
    const { fork, commit, sha, pull } = await openFromFork(scene);
    expect(pull.head).toMatchObject({ label: "carol:feature", sha, repo: { full_name: "carol/widgets" } });
    expect(pull.base.repo.full_name).toBe("acme/widgets");
    expect(pull.head.repo?.fork).toBe(true);
    const next = await commit(sha, "b.txt");
    await asCarol.rest.git.updateRef({ ...fork, ref: "heads/feature", sha: next });
    await sandbox.settled();
    const { data: moved } = await asAlice.rest.pulls.get({ ...target, pull_number: pull.number });
    expect(moved.head.sha).toBe(next);
    const { data: checks } = await asAlice.rest.checks.listForRef({ ...target, ref: next });
    expect(checks.check_runs.map(({ conclusion }) => conclusion)).toEqual(["success", "success"]);
    const { data: merged } = await asAlice.rest.pulls.merge({ ...target, pull_number: pull.number });
    expect(await tipOf(asAlice, "main")).toBe(merged.sha);
  }));

test("a branch of a fork does not stand for one of the same name in its parent", () =>
  inSandbox(async (scene) => {
    const { fork, commit, sha, pull } = await openFromFork(scene);
    const own = await openPull(scene.asAlice, "feature", { "own.txt": "1" });
    const next = await commit(sha, "b.txt");
    await scene.asCarol.rest.git.updateRef({ ...fork, ref: "heads/feature", sha: next });
    await scene.asAlice.rest.git.updateRef({
      ...target,
      ref: "heads/feature",
      sha: await commitOn(scene.asAlice, own.sha, { "own.txt": "2" }),
    });
    const head = async (pull_number: number) =>
      (await scene.asAlice.rest.pulls.get({ ...target, pull_number })).data.head.sha;
    expect(await head(pull.number)).toBe(next);
    expect(await head(own.number)).toBe(await tipOf(scene.asAlice, "feature"));
  }));

test("a workflow run tells what started it, where its commit comes from, and how far it is", () =>
  inSandbox(async (scene) => {
    const { sandbox, asInstallation } = scene;
    const { pull, sha } = await openFromFork(scene);
    const own = await openPull(scene.asAlice, "own", { "own.txt": "1" });
    await sandbox.settled();
    const [forked, ours] = sandbox.workflowRuns("acme/widgets");
    expect(await runOf(asInstallation, forked?.id ?? 0)).toMatchObject({
      event: "pull_request",
      status: "completed",
      conclusion: "success",
      head_sha: sha,
      head_branch: "feature",
      head_repository: { full_name: "carol/widgets", fork: true },
      repository: { full_name: "acme/widgets" },
      pull_requests: [],
      run_attempt: 1,
    });
    expect(await runOf(asInstallation, ours?.id ?? 0)).toMatchObject({
      head_sha: own.sha,
      head_repository: { full_name: "acme/widgets" },
      pull_requests: [{ number: own.number }],
      run_number: 2,
    });
    expect(pull.number).toBe(1);
    expect(await refusal(runOf(asInstallation, 4711))).toMatchObject({ status: 404 });
  }));
