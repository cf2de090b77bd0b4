import { expect, test } from "@jest/globals";
import type { FinishingJob } from "../../tools/sandbox/ci/ci-settings.ts";
import { tipOf } from "./commit-on-branch.ts";
import { cloneRepository, withCredentials } from "./git-client.ts";
import { inSandbox, refusal, requiredChecks, target } from "./scene.ts";
import { receiveWebhooks } from "./webhook-receiver.ts";

test("a pull request goes from a clone to a fast-forward of main, as in a merge queue", async () => {
  const receiver = await receiveWebhooks();
  // The tests of the merge end after main has refused it.
  const refused = Promise.withResolvers<void>();
  const lastStep = async ({ pr, conclusion }: FinishingJob) => {
    if (pr === null) await refused.promise;
    return conclusion;
  };
  const run = inSandbox(
    async ({ sandbox, repository, alice, asAlice, asInstallation }) => {
      const clone = await cloneRepository(withCredentials(repository.gitUrl, "alice", alice.token));
      await clone.git("switch", "--quiet", "--create", "feature");
      const head = await clone.commit({ "facts/x.json": '{"sets":["x"]}\n' }, "Set x");
      await clone.git("push", "--quiet", "origin", "feature");

      const { data: pull } = await asAlice.rest.pulls.create({
        ...target,
        title: "Set x",
        head: "feature",
        base: "main",
      });
      expect(pull).toMatchObject({
        number: 1,
        mergeable: null,
        mergeable_state: "unknown",
        head: { sha: head },
      });
      await sandbox.settled();
      const { data: checks } = await asInstallation.rest.checks.listForRef({ ...target, ref: head });
      expect(checks.check_runs.map(({ name, conclusion }) => [name, conclusion]).sort()).toEqual([
        ["build", "success"],
        ["test", "success"],
      ]);

      await asAlice.rest.issues.createComment({ ...target, issue_number: 1, body: "/trainyard merge" });
      await sandbox.settled();
      const comment = receiver.received.find(({ event }) => event === "issue_comment");
      expect(comment?.payload).toMatchObject({ action: "created", comment: { body: "/trainyard merge" } });
      for (const webhook of receiver.received) {
        expect(await receiver.isSigned(webhook, sandbox.app.webhookSecret)).toBe(true);
      }

      const base = await tipOf(asInstallation, "main");
      const scratch = "trainyard-temp/pr-1/a";
      await asInstallation.rest.git.createRef({ ...target, ref: `refs/heads/${scratch}`, sha: base });
      const { data: merge } = await asInstallation.rest.repos.merge({ ...target, base: scratch, head });
      await asInstallation.rest.git.createRef({
        ...target,
        ref: "refs/heads/trainyard-merge/pr-1/a",
        sha: merge.sha,
      });
      const forward = () =>
        asInstallation.rest.git.updateRef({ ...target, ref: "heads/main", sha: merge.sha });
      expect(await refusal(forward())).toMatchObject({
        status: 422,
        message: expect.stringMatching(/^2 of 2 required status checks (are|have not) /),
      });
      refused.resolve();

      await sandbox.settled();
      await forward();
      await sandbox.settled();
      expect(await tipOf(asAlice, "main")).toBe(merge.sha);
      const { data: merged } = await asAlice.rest.pulls.get({ ...target, pull_number: 1 });
      expect(merged).toMatchObject({
        state: "closed",
        merged: true,
        merge_commit_sha: merge.sha,
        merged_by: { login: `${sandbox.app.slug}[bot]`, type: "Bot" },
      });
      await clone.git("pull", "--quiet", "origin", "main");
      expect(await clone.git("rev-parse", "HEAD")).toBe(merge.sha);
      expect(receiver.names()).toContain("pull_request.closed");
      await clone.remove();
    },
    { webhookUrl: receiver.url },
    { protection: { requiredChecks }, ci: { lastStep } },
  );
  await run.finally(() => receiver.close());
});
