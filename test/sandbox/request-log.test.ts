import { expect, test } from "@jest/globals";
import { openPull, tipOf } from "./commit-on-branch.ts";
import { cloneRepository, withCredentials } from "./git-client.ts";
import { inSandbox, refusal, target } from "./scene.ts";

test("each request is logged with its caller, its status, and its pull request", () =>
  inSandbox(async ({ sandbox, asAlice, asInstallation: app }) => {
    const { number, sha } = await openPull(asAlice, "feature", { a: "1" });
    const main = await tipOf(asAlice, "main");
    await app.rest.apps.listReposAccessibleToInstallation();
    sandbox.requests.clear();
    const { data: comment } = await app.rest.issues.createComment({
      ...target,
      issue_number: number,
      body: "Hi",
    });
    await app.rest.issues.updateComment({ ...target, comment_id: comment.id, body: "Hello" });
    const { data: run } = await app.rest.checks.create({ ...target, name: "Trainyard", head_sha: sha });
    await app.rest.checks.update({ ...target, check_run_id: run.id, conclusion: "success" });
    await app.rest.git.createRef({ ...target, ref: "refs/heads/trainyard-temp/pr-1/x", sha: main });
    const { data: merge } = await app.rest.repos.merge({
      ...target,
      base: "trainyard-temp/pr-1/x",
      head: sha,
    });
    await app.rest.checks.listForRef({ ...target, ref: merge.sha });
    await app.rest.git.updateRef({ ...target, ref: "heads/main", sha: merge.sha });
    await app.rest.repos.getBranch({ ...target, branch: "main" });
    await refusal(asAlice.rest.pulls.get({ ...target, pull_number: 99 }));
    const log = sandbox.requests.entries.map(({ operationId, status, actor, name, pull }) =>
      [operationId, status, actor, name, pull].join(" "),
    );
    expect(log).toEqual([
      "issues/create-comment 201 installation trainyard 1",
      "issues/update-comment 200 installation trainyard 1",
      "checks/create 201 installation trainyard 1",
      "checks/update 200 installation trainyard 1",
      "git/create-ref 201 installation trainyard 1",
      "repos/merge 201 installation trainyard 1",
      "checks/list-for-ref 200 installation trainyard 1",
      "git/update-ref 200 installation trainyard 1",
      "repos/get-branch 200 installation trainyard ",
      "pulls/get 404 user alice 99",
    ]);
    expect(sandbox.requests.countByOperation()).toMatchObject({ "checks/create": 1, "pulls/get": 1 });
  }));

test("git's requests are counted separately", () =>
  inSandbox(async ({ sandbox, repository, alice }) => {
    sandbox.requests.clear();
    const clone = await cloneRepository(withCredentials(repository.gitUrl, "alice", alice.token));
    await clone.remove();
    expect(sandbox.requests.git).toBeGreaterThan(1);
    expect(sandbox.requests.entries).toEqual([]);
  }));
