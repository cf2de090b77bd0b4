import { expect, test } from "@jest/globals";
import { branchWith, commitOn, openPull, passStatus, tipOf } from "./commit-on-branch.ts";
import { CI_APP_ID, inSandbox, refusal, requiredChecks, type Scene, target } from "./scene.ts";

const moveMain = (octokit: Scene["asAlice"], sha: string, force = false) =>
  octokit.rest.git.updateRef({ ...target, ref: "heads/main", sha, force });

test("a branch shows its protection to every reader", () =>
  inSandbox(
    async ({ asCarol }) => {
      const { data: branch } = await asCarol.rest.repos.getBranch({ ...target, branch: "main" });
      expect(branch).toMatchObject({
        protected: true,
        protection: {
          enabled: true,
          required_status_checks: {
            enforcement_level: "everyone",
            contexts: ["build", "test"],
            checks: [
              { context: "build", app_id: CI_APP_ID },
              { context: "test", app_id: CI_APP_ID },
            ],
          },
        },
      });
      await branchWith(asCarol, "x", {}).catch(() => undefined);
      const { data: rules } = await asCarol.request("GET /repos/{owner}/{repo}/rules/branches/{branch}", {
        ...target,
        branch: "main",
      });
      expect(rules).toEqual([]);
      const { data: branches } = await asCarol.rest.repos.listBranches({ ...target, protected: true });
      expect(branches.map(({ name }) => name)).toEqual(["main"]);
    },
    {},
    { protection: { requiredChecks } },
  ));

test("an unprotected branch is marked as such and has no rule to read, and a missing one is 404", () =>
  inSandbox(async ({ asAdmin }) => {
    const { data: branch } = await asAdmin.rest.repos.getBranch({ ...target, branch: "main" });
    expect(branch.protected).toBe(false);
    expect(branch.protection.required_status_checks?.enforcement_level).toBe("off");
    expect(await refusal(asAdmin.rest.repos.getBranch({ ...target, branch: "no/such" }))).toEqual({
      status: 404,
      message: "Branch not found",
    });
    expect(await refusal(asAdmin.rest.repos.getBranchProtection({ ...target, branch: "main" }))).toEqual({
      status: 404,
      message: "Branch not protected",
    });
  }));

test("a protection rule is shown in full to administrators", () =>
  inSandbox(
    async ({ asAdmin }) => {
      const { data } = await asAdmin.rest.repos.getBranchProtection({ ...target, branch: "main" });
      expect(data).toMatchObject({
        required_status_checks: { strict: true, contexts: ["build", "test"] },
        required_pull_request_reviews: { required_approving_review_count: 2 },
        required_linear_history: { enabled: true },
        allow_force_pushes: { enabled: false },
      });
      const { data: policy } = await asAdmin.rest.repos.getStatusChecksProtection({
        ...target,
        branch: "main",
      });
      expect(policy.strict).toBe(true);
    },
    {},
    { protection: { requiredChecks, strict: true, requiredReviews: 2, linearHistory: true } },
  ));

test("a ref update is refused until every required check has passed on that commit", () =>
  inSandbox(
    async ({ asAlice, asAdmin }) => {
      const sha = await commitOn(asAlice, await tipOf(asAlice, "main"), { a: "1" });
      const message = async (octokit = asAlice) => (await refusal(moveMain(octokit, sha))).message;
      const status = (context: string, state: "success" | "pending" | "failure") =>
        asAlice.rest.repos.createCommitStatus({ ...target, sha, context, state });
      expect(await refusal(moveMain(asAlice, sha))).toEqual({
        status: 422,
        message: "2 of 2 required status checks are expected.",
      });
      await status("one", "success");
      expect(await message()).toBe('Required status check "two" is expected.');
      await status("two", "pending");
      expect(await message()).toBe('Required status check "two" is pending.');
      await status("two", "failure");
      expect(await message(asAdmin)).toBe('Required status check "two" is failing.');
      await status("one", "pending");
      expect(await message()).toMatch(
        /^2 of 2 required status checks have not succeeded: 1 (pending and 1 failing|failing and 1 pending)\.$/,
      );
      await status("one", "success");
      await status("two", "success");
      expect((await moveMain(asAlice, sha)).status).toBe(200);
    },
    {},
    { protection: { requiredChecks: ["one", "two"] }, ci: null },
  ));

test("a locked branch refuses pushes, merges of branches, and merges of pull requests", () =>
  inSandbox(
    async ({ asAlice, asAdmin, sandbox }) => {
      const { number, sha } = await openPull(asAlice, "one", { a: "1" });
      sandbox.setProtection("acme/widgets", "main", { locked: true });
      const message = "Cannot change this locked branch";
      expect(await refusal(moveMain(asAdmin, sha))).toEqual({ status: 422, message });
      expect(await refusal(asAdmin.rest.pulls.merge({ ...target, pull_number: number }))).toEqual({
        status: 405,
        message,
      });
      const { data } = await asAdmin.rest.repos.getBranchProtection({ ...target, branch: "main" });
      expect(data.lock_branch).toEqual({ enabled: true });
    },
    {},
    { ci: null },
  ));

test("a required check that is bound to an App counts only from that App", () =>
  inSandbox(
    async ({ asAlice, asInstallation }) => {
      const sha = await commitOn(asAlice, await tipOf(asAlice, "main"), { a: "1" });
      await asInstallation.rest.checks.create({
        ...target,
        name: "build",
        head_sha: sha,
        conclusion: "success",
      });
      await passStatus(asAlice, sha, "build");
      expect((await refusal(moveMain(asAlice, sha))).message).toBe(
        'Required status check "build" is expected.',
      );
    },
    {},
    { protection: { requiredChecks: [{ context: "build", appId: CI_APP_ID }] }, ci: null },
  ));

test("a check run and a status of the same name must both pass, and a skipped run passes", () =>
  inSandbox(
    async ({ asAlice, asInstallation }) => {
      const sha = await commitOn(asAlice, await tipOf(asAlice, "main"), { a: "1" });
      await passStatus(asAlice, sha, "one");
      await asInstallation.rest.checks.create({
        ...target,
        name: "one",
        head_sha: sha,
        conclusion: "failure",
      });
      expect((await refusal(moveMain(asAlice, sha))).message).toBe('Required status check "one" is failing.');
      await asInstallation.rest.checks.create({
        ...target,
        name: "one",
        head_sha: sha,
        conclusion: "skipped",
      });
      expect((await moveMain(asAlice, sha)).status).toBe(200);
    },
    {},
    { protection: { requiredChecks: ["one"] }, ci: null },
  ));

test("a ref update that is not a fast-forward is refused, and so is forcing or deleting a protected branch", () =>
  inSandbox(
    async ({ asAlice }) => {
      const before = await tipOf(asAlice, "main");
      const forward = await commitOn(asAlice, before, { a: "1" });
      const aside = await commitOn(asAlice, before, { b: "1" });
      await moveMain(asAlice, forward);
      expect(await refusal(moveMain(asAlice, aside))).toEqual({
        status: 422,
        message: "Update is not a fast forward",
      });
      expect((await refusal(moveMain(asAlice, aside, true))).message).toBe(
        "Cannot force-push to this branch",
      );
      const main = { ...target, ref: "heads/main" };
      expect((await refusal(asAlice.rest.git.deleteRef(main))).message).toBe("Cannot delete this branch");
    },
    {},
    { protection: {} },
  ));

test("a protection rule binds administrators only if it says so, and never the Apps on its bypass list", () =>
  inSandbox(
    async ({ asAlice, asAdmin, asInstallation, sandbox }) => {
      const first = await commitOn(asAlice, await tipOf(asAlice, "main"), { a: "1" });
      expect((await moveMain(asAdmin, first)).status).toBe(200);
      const second = await commitOn(asAlice, first, { a: "2" });
      expect((await refusal(moveMain(asInstallation, second))).status).toBe(422);
      const bypass = [sandbox.app.slug];
      sandbox.setProtection("acme/widgets", "main", { requiredChecks: ["one"], bypass });
      expect((await refusal(moveMain(asAdmin, second))).status).toBe(422);
      expect((await moveMain(asInstallation, second)).status).toBe(200);
      sandbox.setProtection("acme/widgets", "main", null);
      expect((await moveMain(asAlice, await commitOn(asAlice, second, { a: "3" }))).status).toBe(200);
    },
    {},
    { protection: { requiredChecks: ["one"], enforceAdmins: false }, ci: null },
  ));

test("linear history forbids merge commits, and required reviews forbid changes without a pull request", () =>
  inSandbox(
    async ({ asAlice, sandbox }) => {
      const head = await branchWith(asAlice, "feature", { a: "1" });
      await asAlice.rest.git.createRef({
        ...target,
        ref: "refs/heads/scratch",
        sha: await tipOf(asAlice, "main"),
      });
      const { data: merge } = await asAlice.rest.repos.merge({ ...target, base: "scratch", head });
      expect((await refusal(moveMain(asAlice, merge.sha))).message).toBe(
        "This branch must not contain merge commits.",
      );
      const { data: pull } = await asAlice.rest.pulls.create({
        ...target,
        title: "x",
        head: "feature",
        base: "main",
      });
      const button = { ...target, pull_number: pull.number };
      expect(await refusal(asAlice.rest.pulls.merge(button))).toEqual({
        status: 405,
        message: "This branch must not contain merge commits.",
      });
      sandbox.setProtection("acme/widgets", "main", { requiredReviews: 1 });
      expect((await refusal(moveMain(asAlice, head))).message).toBe(
        "Changes must be made through a pull request.",
      );
      const intoMain = asAlice.rest.repos.merge({ ...target, base: "main", head });
      expect(await refusal(intoMain)).toEqual({
        status: 409,
        message: "Changes must be made through a pull request.",
      });
    },
    {},
    { protection: { linearHistory: true } },
  ));

test("an approval meets a required review, unless it is by the author", () =>
  inSandbox(
    async ({ asAlice, asAdmin }) => {
      const { number } = await openPull(asAlice, "feature", { a: "1" });
      const pull = { ...target, pull_number: number };
      expect((await refusal(asAlice.rest.pulls.merge(pull))).message).toBe(
        "At least 1 approving review is required by reviewers with write access.",
      );
      const own = asAlice.rest.pulls.createReview({ ...pull, event: "APPROVE" });
      expect((await refusal(own)).status).toBe(422);
      await asAdmin.rest.pulls.createReview({ ...pull, event: "APPROVE" });
      expect((await asAlice.rest.pulls.listReviews(pull)).data.map(({ state }) => state)).toEqual([
        "APPROVED",
      ]);
      expect((await asAlice.rest.pulls.merge(pull)).data.merged).toBe(true);
    },
    {},
    { protection: { requiredReviews: 1 } },
  ));

test("with strict checks, a head without the base's tip has its checks expected again, however green", () =>
  inSandbox(
    async ({ asAlice, sandbox }) => {
      const { number, sha } = await openPull(asAlice, "feature", { a: "1" });
      await passStatus(asAlice, sha, "one");
      const ahead = await commitOn(asAlice, await tipOf(asAlice, "main"), { b: "1" });
      await passStatus(asAlice, ahead, "one");
      await moveMain(asAlice, ahead);
      const pull = { ...target, pull_number: number };
      await asAlice.rest.pulls.get(pull);
      await sandbox.settled();
      expect((await asAlice.rest.pulls.get(pull)).data.mergeable_state).toBe("behind");
      expect(await refusal(asAlice.rest.pulls.merge(pull))).toEqual({
        status: 405,
        message: 'Required status check "one" is expected.',
      });
      await asAlice.rest.pulls.updateBranch(pull);
      await sandbox.settled();
      const { data } = await asAlice.rest.pulls.get(pull);
      await passStatus(asAlice, data.head.sha, "one");
      expect((await asAlice.rest.pulls.merge(pull)).data.merged).toBe(true);
    },
    {},
    { protection: { requiredChecks: ["one"], strict: true }, ci: null },
  ));
