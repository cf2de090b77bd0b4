import { expect, test } from "@jest/globals";
import type { Octokit } from "@octokit/rest";
import { commitOn, openPull, tipOf } from "./commit-on-branch.ts";
import { Fork } from "./fork.ts";
import { inSandbox, refusal, target } from "./scene.ts";

const runOf = async (octokit: Octokit, run_id: number) =>
  (await octokit.rest.actions.getWorkflowRun({ ...target, run_id })).data;

test("a pull request from a fork names the fork, is tested in the parent, follows pushes, and merges", () =>
  inSandbox(async ({ sandbox, asAlice, asCarol }) => {
    const fork = await Fork.of(sandbox, "carol", asCarol);
    const { sha, pull } = await fork.openPull("feature");
    expect(pull.head).toMatchObject({ label: "carol:feature", sha, repo: { full_name: "carol/widgets" } });
    expect(pull.base.repo.full_name).toBe("acme/widgets");
    expect(pull.head.repo?.fork).toBe(true);
    const next = await fork.commit(sha, "b.txt");
    await fork.push("feature", next);
    await sandbox.settled();
    const { data: moved } = await asAlice.rest.pulls.get({ ...target, pull_number: pull.number });
    expect(moved.head.sha).toBe(next);
    const { data: checks } = await asAlice.rest.checks.listForRef({ ...target, ref: next });
    expect(checks.check_runs.map(({ conclusion }) => conclusion)).toEqual(["success", "success"]);
    const { data: merged } = await asAlice.rest.pulls.merge({ ...target, pull_number: pull.number });
    expect(await tipOf(asAlice, "main")).toBe(merged.sha);
  }));

test("a branch of a fork is not taken for the branch of the same name in its parent", () =>
  inSandbox(async ({ sandbox, asAlice, asCarol }) => {
    const fork = await Fork.of(sandbox, "carol", asCarol);
    const { sha, pull } = await fork.openPull("feature");
    const own = await openPull(asAlice, "feature", { "own.txt": "1" });
    const next = await fork.commit(sha, "b.txt");
    await fork.push("feature", next);
    const ownNext = await commitOn(asAlice, own.sha, { "own.txt": "2" });
    await asAlice.rest.git.updateRef({ ...target, ref: "heads/feature", sha: ownNext });
    const head = async (pull_number: number) =>
      (await asAlice.rest.pulls.get({ ...target, pull_number })).data.head.sha;
    expect(await head(pull.number)).toBe(next);
    expect(await head(own.number)).toBe(ownNext);
  }));

test("a workflow run shows its event, the repository of its commit, and its status", () =>
  inSandbox(async ({ sandbox, asAlice, asCarol, asInstallation }) => {
    const fork = await Fork.of(sandbox, "carol", asCarol);
    const { sha } = await fork.openPull("feature");
    const own = await openPull(asAlice, "own", { "own.txt": "1" });
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
    expect(await refusal(runOf(asInstallation, 4711))).toMatchObject({ status: 404 });
  }));
