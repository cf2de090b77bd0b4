import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { eventually } from "./eventually.ts";
import { Gate } from "./gate.ts";
import { Stage } from "./stage.ts";
import type { StageOptions } from "./stage-options.ts";
import { variants } from "./variants.ts";

let stage: Stage;
let gate: Gate;

beforeEach(() => {
  gate = new Gate();
});

afterEach(async () => {
  gate.open();
  await stage.close();
});

const deaf: StageOptions = {
  sandbox: { webhooks: { drop: 1 } },
  environment: { TRAINYARD_RECONCILE_MS: "200" },
};

/** Opens a queue whose App bypasses the rules, so that GitHub lets it merge unapproved pull requests. */
async function open(
  mergeMethod: "merge_commit" | "squash",
  rules: StageOptions["rules"],
  options: StageOptions = {},
): Promise<void> {
  stage = await Stage.open({
    rules: { requiredReviews: 1, ...rules },
    bypass: true,
    ci: { lastStep: gate.lastStep },
    ...options,
    queue: { mergeMethod, ...options.queue },
  });
}

/** A pull request that is approved and under test, and the id of its review. */
async function underTest(name: string): Promise<{ pr: number; review: number }> {
  return testNow(await approved(name));
}

async function approved(name: string): Promise<{ pr: number; review: number }> {
  const pr = await stage.openPullRequest(name);
  return { pr, review: await stage.review(pr, "APPROVE") };
}

async function testNow({ pr, review }: { pr: number; review: number }) {
  await stage.client.submitPullRequest({ ...stage.queue, pr: { number: pr } });
  await stage.until(pr, "testing");
  return { pr, review };
}

async function mainSha(): Promise<string> {
  return (await stage.branch("main")).commit.sha;
}

/** Expects that the pull request waits in the queue with this explanation, and that main has not moved. */
async function expectUnready(pr: number, before: string, reason: string, text: RegExp): Promise<void> {
  gate.open();
  const entry = await stage.until(pr, "not_ready");
  expect(entry).toMatchObject({ reason });
  expect(entry.why.map((link) => link.text)).toContainEqual(expect.stringMatching(text));
  // The comment does not mention the user.
  await stage.untilCommented(pr, new RegExp(text.source.replace("@bob", ".*bob")));
  await stage.untilHandled();
  expect([await mainSha(), (await stage.pull(pr)).merged]).toEqual([before, false]);
}

describe.each(variants(["merge_commit", "squash"]))(
  "with %s and an App that bypasses the rules,",
  (method) => {
    const how = [
      ["webhooks", {}],
      ["no webhooks", deaf],
    ] as const;

    test.each(how)("a review dismissed during the tests stops the merge, with %s", async (_how, options) => {
      await open(method, {}, options);
      const { pr, review } = await underTest("one");
      const before = await mainSha();
      await stage.dismiss(pr, review);
      await expectUnready(pr, before, "REVIEW_REQUIRED", /a review is required/);
    });

    test.each(how)("changes requested after the approval stop the merge, with %s", async (_how, options) => {
      await open(method, {}, options);
      const { pr } = await underTest("one");
      const before = await mainSha();
      await stage.review(pr, "REQUEST_CHANGES");
      await expectUnready(pr, before, "CHANGES_REQUESTED", /changes were requested by @bob/);
    });

    test.each(how)(
      "a conversation started during the tests stops the merge, with %s",
      async (_how, options) => {
        await open(method, { conversationResolution: true }, options);
        const { pr } = await underTest("one");
        const before = await mainSha();
        await stage.review(pr, "COMMENT", { by: "carol", comments: ["Why?", "How?"] });
        await expectUnready(pr, before, "CONVERSATIONS_OPEN", /2 conversations are unresolved/);
      },
    );

    test.each(how)("a draft does not merge, with %s", async (_how, options) => {
      await open(method, {}, options);
      const { pr } = await underTest("one");
      const before = await mainSha();
      await stage.update(pr, { draft: true });
      gate.open();
      expect(await stage.until(pr, "cancelled")).toMatchObject({ reason: "CONVERTED_TO_DRAFT" });
      expect(await mainSha()).toBe(before);
    });
  },
);

test("a pull request that is approved again with its conversations resolved is tested again and merges", async () => {
  await open("merge_commit", { conversationResolution: true });
  const { pr } = await underTest("one");
  await stage.review(pr, "REQUEST_CHANGES", { comments: ["Why?"] });
  gate.open();
  await stage.until(pr, "not_ready");
  await stage.review(pr, "APPROVE");
  await eventually(async () => {
    const entry = await stage.look(pr);
    return entry?.why.some(({ text }) => /^1 conversation is unresolved/.test(text)) ? entry : null;
  }, "the review to count");
  await stage.resolveConversations(pr);
  await stage.until(pr, "merged");
});

test("a pull request behind one that lost its approval is tested again without it and merges", async () => {
  await open("merge_commit", {}, { queue: { concurrency: 2, policy: "fixed" } });
  const { pr, review } = await approved("one");
  const next = await approved("two");
  await testNow({ pr, review });
  const { pr: second } = await testNow(next);
  await stage.dismiss(pr, review);
  await stage.until(pr, "not_ready");
  gate.open();
  await stage.until(second, "merged");
  expect((await stage.pull(pr)).merged).toBe(false);
});

test("an unapproved pull request is not tested and explains why, although GitHub would let the App merge it", async () => {
  await open("squash", { conversationResolution: true });
  const pr = await stage.openPullRequest("one");
  await stage.review(pr, "COMMENT", { comments: ["Why?"] });
  await stage.client.submitPullRequest({ ...stage.queue, pr: { number: pr } });
  const { why } = await stage.until(pr, "not_ready");
  expect(why.map(({ code, text }) => [code, text])).toEqual([
    ["NOT_MERGEABLE", "a review is required. Also: 1 conversation is unresolved"],
  ]);
});

test("a direct merge checks the approval once more before it merges", async () => {
  await open("squash", {}, { ...deaf, queue: { directMergeMode: "always" } });
  const pr = await stage.openPullRequest("one");
  const review = await stage.review(pr, "APPROVE");
  // Nothing is merged as long as the head cannot be compared.
  const mend = stage.sandbox.faults.next({
    operation: "repos/compare-commits-with-basehead",
    kind: "500",
    side: "before",
    count: 1_000,
  });
  await stage.client.submitPullRequest({ ...stage.queue, pr: { number: pr } });
  await stage.dismiss(pr, review);
  mend();
  expect(await stage.until(pr, "not_ready")).toMatchObject({ reason: "REVIEW_REQUIRED" });
  expect((await stage.pull(pr)).merged).toBe(false);
});
