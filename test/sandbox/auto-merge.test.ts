import { expect, test } from "@jest/globals";
import type { Octokit } from "@octokit/rest";
import { branchWith } from "./commit-on-branch.ts";
import { Fork } from "./fork.ts";
import { inSandbox, target } from "./scene.ts";
import { receiveWebhooks } from "./webhook-receiver.ts";

const pull = { ...target, pull_number: 1 };

async function open(octokit: Octokit): Promise<void> {
  await branchWith(octokit, "topic", { a: "1" });
  await octokit.rest.pulls.create({ ...target, base: "main", head: "topic", title: "Topic" });
}

async function change(octokit: Octokit, verb: "enable" | "disable"): Promise<string | null> {
  const { data } = await octokit.rest.pulls.get(pull);
  const field = `${verb}PullRequestAutoMerge`;
  const mutation = `mutation ($input: ${field[0]?.toUpperCase()}${field.slice(1)}Input!) { ${field}(input: $input) { clientMutationId } }`;
  const method = verb === "enable" ? { mergeMethod: "SQUASH" } : {};
  try {
    await octokit.graphql(mutation, { input: { pullRequestId: data.node_id, ...method } });
    return null;
  } catch (error) {
    return (error as { errors: { message: string }[] }).errors[0]?.message ?? "";
  }
}

const rules = { ci: null, protection: { requiredReviews: 1 } };

test("a pull request with auto-merge enabled is merged by GitHub as soon as its rules are met", async () => {
  const receiver = await receiveWebhooks();
  try {
    await inSandbox(
      async ({ sandbox, asAlice, asAdmin }) => {
        await open(asAlice);
        await sandbox.settled();
        sandbox.setWebhookUrl(receiver.url);
        expect(await change(asAlice, "enable")).toBeNull();
        const { data } = await asAlice.rest.pulls.get(pull);
        expect(data.auto_merge).toMatchObject({ enabled_by: { login: "alice" }, merge_method: "squash" });
        await sandbox.settled();
        expect((await asAlice.rest.pulls.get(pull)).data.merged).toBe(false);
        await asAdmin.rest.pulls.createReview({ ...pull, event: "APPROVE" });
        await sandbox.settled();
        const { data: merged } = await asAlice.rest.pulls.get(pull);
        expect([merged.merged, merged.merged_by?.login]).toEqual([true, "alice"]);
        expect(receiver.names()).toContain("pull_request.auto_merge_enabled");
      },
      {},
      rules,
    );
  } finally {
    await receiver.close();
  }
});

test("auto-merge that is disabled again, or never enabled, merges nothing", async () => {
  const receiver = await receiveWebhooks();
  try {
    await inSandbox(
      async ({ sandbox, asAlice, asCarol, asAdmin }) => {
        await open(asAlice);
        await sandbox.settled();
        sandbox.setWebhookUrl(receiver.url);
        expect(await change(asCarol, "enable")).toBe("Resource not accessible by integration");
        await change(asAlice, "enable");
        expect(await change(asAlice, "disable")).toBeNull();
        await asAdmin.rest.pulls.createReview({ ...pull, event: "APPROVE" });
        await sandbox.settled();
        expect((await asAlice.rest.pulls.get(pull)).data).toMatchObject({ merged: false, auto_merge: null });
        expect(await change(asAlice, "enable")).toBe("Pull request Pull request is in clean status");
        expect(receiver.names()).toContain("pull_request.auto_merge_disabled");
      },
      {},
      rules,
    );
  } finally {
    await receiver.close();
  }
});

test("a push by a user without write access disables auto-merge", () =>
  inSandbox(
    async ({ sandbox, asAlice, asCarol }) => {
      const fork = await Fork.of(sandbox, "carol", asCarol);
      const { sha } = await fork.openPull("topic");
      await sandbox.settled();
      await change(asAlice, "enable");
      expect((await asAlice.rest.pulls.get(pull)).data.auto_merge).not.toBeNull();
      await fork.push("topic", await fork.commit(sha, "more.txt"));
      expect((await asAlice.rest.pulls.get(pull)).data.auto_merge).toBeNull();
    },
    {},
    rules,
  ));
