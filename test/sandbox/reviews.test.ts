import { expect, test } from "@jest/globals";
import type { Octokit } from "@octokit/rest";
import { branchWith } from "./commit-on-branch.ts";
import { inSandbox, refusal, target } from "./scene.ts";
import { receiveWebhooks } from "./webhook-receiver.ts";

const query = `query ($owner: String!, $repo: String!) { repository(owner: $owner, name: $repo) {
  pullRequest(number: 1) {
    reviewDecision
    latestOpinionatedReviews(first: 10, writersOnly: true) { nodes { state author { __typename login } } }
    reviewThreads(first: 1) { nodes { id isResolved } pageInfo { endCursor hasNextPage } }
    baseRef {
      refUpdateRule { requiresConversationResolution }
      rules(first: 10) { nodes { parameters { ... on PullRequestParameters { requiredReviewThreadResolution } } } }
    }
  }
} }`;

interface Shown {
  reviewDecision: string | null;
  latestOpinionatedReviews: { nodes: { state: string; author: { login: string } }[] };
  reviewThreads: { nodes: { id: string; isResolved: boolean }[]; pageInfo: { hasNextPage: boolean } };
  baseRef: { refUpdateRule: { requiresConversationResolution: boolean } | null };
}

async function show(octokit: Octokit): Promise<Shown> {
  const { repository } = await octokit.graphql<{ repository: { pullRequest: Shown } }>(query, target);
  return repository.pullRequest;
}

const pull = { ...target, pull_number: 1 };

async function open(octokit: Octokit): Promise<void> {
  await branchWith(octokit, "topic", { a: "1" });
  await octokit.rest.pulls.create({ ...target, base: "main", head: "topic", title: "Topic" });
}

test("the review decision of a pull request follows its reviewers' latest reviews, and a dismissed review does not count", () =>
  inSandbox(async ({ sandbox, asAlice, asAdmin, asInstallation: app }) => {
    await open(asAlice);
    expect((await show(app)).reviewDecision).toBeNull();
    sandbox.setProtection("acme/widgets", "main", { requiredReviews: 1 });
    expect((await show(app)).reviewDecision).toBe("REVIEW_REQUIRED");
    const { data: review } = await asAdmin.rest.pulls.createReview({ ...pull, event: "APPROVE" });
    expect((await show(app)).reviewDecision).toBe("APPROVED");
    await asAdmin.rest.pulls.createReview({ ...pull, event: "REQUEST_CHANGES", body: "No." });
    const { reviewDecision, latestOpinionatedReviews } = await show(app);
    expect([reviewDecision, latestOpinionatedReviews.nodes]).toEqual([
      "CHANGES_REQUESTED",
      [{ state: "CHANGES_REQUESTED", author: { __typename: "User", login: "admin" } }],
    ]);
    const { data: again } = await asAdmin.rest.pulls.createReview({ ...pull, event: "APPROVE" });
    await asAlice.rest.pulls.dismissReview({ ...pull, review_id: again.id, message: "Too early." });
    expect((await show(app)).reviewDecision).toBe("REVIEW_REQUIRED");
    expect(review.state).toBe("APPROVED");
    expect(await refusal(asAlice.rest.pulls.merge(pull))).toEqual({
      status: 405,
      message: "At least 1 approving review is required by reviewers with write access.",
    });
  }));

test("an open conversation blocks a merge when the rules require resolved conversations", () =>
  inSandbox(async ({ sandbox, asAlice, asAdmin, asInstallation: app }) => {
    await open(asAlice);
    sandbox.setProtection("acme/widgets", "main", { conversationResolution: true });
    const comments = [1, 2].map((line) => ({ path: "a", line, body: "Why?" }));
    await asAdmin.rest.pulls.createReview({ ...pull, event: "COMMENT", comments });
    const { reviewThreads, baseRef } = await show(app);
    expect(baseRef.refUpdateRule).toEqual({ requiresConversationResolution: true });
    expect(reviewThreads).toMatchObject({ nodes: [{ isResolved: false }], pageInfo: { hasNextPage: true } });
    const [first] = reviewThreads.nodes;
    const mutation = `mutation ($input: ResolveReviewThreadInput!) { resolveReviewThread(input: $input) { clientMutationId } }`;
    await asAlice.graphql(mutation, { input: { threadId: first?.id } });
    expect((await show(app)).reviewThreads.nodes).toEqual([{ id: first?.id, isResolved: true }]);
    expect(await refusal(asAlice.rest.pulls.merge(pull))).toEqual({
      status: 405,
      message: "A conversation must be resolved before this pull request can be merged.",
    });
  }));

test("an App on the bypass list can merge a pull request without an approval", () =>
  inSandbox(async ({ sandbox, asAlice, asInstallation: app }) => {
    await open(asAlice);
    const bypass = [sandbox.app.slug];
    sandbox.setProtection("acme/widgets", "main", { requiredReviews: 1, bypass });
    expect((await app.rest.pulls.merge(pull)).data.merged).toBe(true);
  }));

test("webhooks report reviews and conversations", async () => {
  const receiver = await receiveWebhooks();
  try {
    await inSandbox(async ({ sandbox, asAlice, asAdmin }) => {
      await open(asAlice);
      await sandbox.settled();
      sandbox.setWebhookUrl(receiver.url);
      const comments = [{ path: "a", line: 1, body: "Why?" }];
      const { data } = await asAdmin.rest.pulls.createReview({ ...pull, event: "APPROVE", comments });
      await asAdmin.rest.pulls.dismissReview({ ...pull, review_id: data.id, message: "Too early." });
      const [thread] = (await show(asAlice)).reviewThreads.nodes;
      for (const name of ["resolve", "unresolve"]) {
        const input = `${name[0]?.toUpperCase()}${name.slice(1)}ReviewThreadInput`;
        const mutation = `mutation ($input: ${input}!) { ${name}ReviewThread(input: $input) { clientMutationId } }`;
        await asAlice.graphql(mutation, { input: { threadId: thread?.id } });
      }
      await sandbox.settled();
      expect(receiver.names()).toEqual([
        "pull_request_review.submitted",
        "pull_request_review.dismissed",
        "pull_request_review_thread.resolved",
        "pull_request_review_thread.unresolved",
      ]);
    });
  } finally {
    await receiver.close();
  }
});
