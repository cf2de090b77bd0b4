import { expect, test } from "@jest/globals";
import type { Octokit } from "@octokit/rest";
import type { ProtectionOptions } from "../../tools/sandbox/world/rules/protection.ts";
import { branchWith, commitOn, tipOf } from "./commit-on-branch.ts";
import { client, inSandbox, refusal, type Scene, target } from "./scene.ts";
import { receiveWebhooks } from "./webhook-receiver.ts";

const query = `query ($owner: String!, $repo: String!, $number: Int!) {
  repository(owner: $owner, name: $repo) { pullRequest(number: $number) { reviewDecision } } }`;

async function decision(octokit: Octokit, number = 1): Promise<string | null> {
  type Answer = { repository: { pullRequest: { reviewDecision: string | null } } };
  const { repository } = await octokit.graphql<Answer>(query, { ...target, number });
  return repository.pullRequest.reviewDecision;
}

async function open(octokit: Octokit, branch: string, files: Record<string, string>, from = "main") {
  await branchWith(octokit, branch, files, { from });
  await octokit.rest.pulls.create({ ...target, base: "main", head: branch, title: branch });
}

const review = (octokit: Octokit, event: "APPROVE" | "REQUEST_CHANGES", pull_number = 1) =>
  octokit.rest.pulls.createReview({ ...target, pull_number, event, body: "As I see it." });

async function push(octokit: Octokit, branch: string, files: Record<string, string>): Promise<void> {
  const sha = await commitOn(octokit, await tipOf(octokit, branch), files);
  await octokit.rest.git.updateRef({ ...target, ref: `heads/${branch}`, sha });
}

function withRules(
  reviews: ProtectionOptions,
  test: (scene: Scene) => Promise<void>,
  files: Record<string, string> = {},
): Promise<void> {
  const options = { ci: null, files: { "README.md": "# Widgets\n", ...files } };
  const protection = { requiredReviews: 1, enforceAdmins: false, ...reviews };
  return inSandbox(test, {}, { ...options, protection });
}

test("only reviews by users with write access count", () =>
  withRules({}, async ({ asAlice, asCarol }) => {
    await open(asAlice, "topic", { a: "1" });
    await review(asCarol, "APPROVE");
    expect(await decision(asAlice)).toBe("REVIEW_REQUIRED");
    await review(asCarol, "REQUEST_CHANGES");
    expect(await decision(asAlice)).toBe("REVIEW_REQUIRED");
  }));

test("without a rule that requires reviews there is no decision, whatever reviewers say", () =>
  inSandbox(
    async ({ asAlice, asAdmin }) => {
      await open(asAlice, "topic", { a: "1" });
      await review(asAdmin, "REQUEST_CHANGES");
      expect(await decision(asAlice)).toBeNull();
    },
    {},
    { ci: null, protection: { conversationResolution: true } },
  ));

test("a push dismisses an approval when the rules say so, unless the change stays the same", () =>
  withRules({ dismissStaleReviews: true }, async ({ sandbox, asAlice, asAdmin }) => {
    await open(asAlice, "topic", { a: "1\n" });
    await review(asAdmin, "APPROVE");
    await push(asAdmin, "main", { unrelated: "1\n" });
    const { data } = await asAlice.rest.pulls.updateBranch({ ...target, pull_number: 1 });
    expect(data.message).toBe("Updating pull request branch.");
    await sandbox.settled();
    expect(await decision(asAlice)).toBe("APPROVED");
    await push(asAlice, "topic", { a: "2\n" });
    expect(await decision(asAlice)).toBe("REVIEW_REQUIRED");
    const { data: reviews } = await asAlice.rest.pulls.listReviews({ ...target, pull_number: 1 });
    expect(reviews.map(({ state }) => state)).toEqual(["DISMISSED"]);
  }));

test("the merge of a related pull request into the base dismisses an approval, and a webhook reports it", async () => {
  const receiver = await receiveWebhooks();
  try {
    await withRules({ dismissStaleReviews: true }, async ({ sandbox, asAlice, asAdmin }) => {
      await open(asAlice, "one", { a: "1\n" });
      await open(asAlice, "two", { b: "1\n" }, "one");
      await open(asAlice, "other", { c: "1\n" });
      for (const number of [1, 2, 3]) await review(asAdmin, "APPROVE", number);
      await sandbox.settled();
      sandbox.setWebhookUrl(receiver.url);
      await asAlice.rest.pulls.merge({ ...target, pull_number: 1 });
      await sandbox.settled();
      expect([await decision(asAlice, 2), await decision(asAlice, 3)]).toEqual([
        "REVIEW_REQUIRED",
        "APPROVED",
      ]);
      expect(receiver.names().filter((name) => name.startsWith("pull_request_review"))).toEqual([
        "pull_request_review.dismissed",
      ]);
    });
  } finally {
    await receiver.close();
  }
});

test("each changed file needs an approval by one of its code owners on the base", () =>
  withRules(
    { codeOwnerReviews: true },
    async ({ sandbox, asAlice, asAdmin }) => {
      const bob = client(sandbox, sandbox.createUser({ login: "bob", permission: "write" }).token);
      await open(asAlice, "topic", {
        "src/a": "1",
        "docs/deep/b.md": "1",
        free: "1",
        ".github/CODEOWNERS": "* @nobody\n",
      });
      const waiting = async () =>
        (await refusal(asAlice.rest.pulls.merge({ ...target, pull_number: 1 }))).message;
      await review(bob, "APPROVE");
      expect(await decision(asAlice)).toBe("REVIEW_REQUIRED");
      expect(await waiting()).toBe("Waiting on code owner review from admin.");
      await review(asAdmin, "APPROVE");
      expect(await waiting()).toBe("Waiting on code owner review from acme/core.");
      sandbox.setTeam("acme/core", ["Bob"]);
      expect(await decision(asAlice)).toBe("APPROVED");
    },
    { ".github/CODEOWNERS": "# Who\n/src/ @acme/core\n*.md @admin @alice\n/free\n" },
  ));

test("the last push needs an approval by someone other than its pusher", () =>
  withRules({ lastPushApproval: true }, async ({ sandbox, asAlice, asAdmin }) => {
    const bob = client(sandbox, sandbox.createUser({ login: "bob", permission: "write" }).token);
    await open(asAlice, "topic", { a: "1" });
    await review(bob, "APPROVE");
    expect(await decision(asAlice)).toBe("APPROVED");
    await push(bob, "topic", { a: "2" });
    await review(bob, "APPROVE");
    expect(await decision(asAlice)).toBe("REVIEW_REQUIRED");
    await review(asAdmin, "APPROVE");
    expect(await decision(asAlice)).toBe("APPROVED");
  }));
