import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { deliver, deliverComment } from "./deliver.ts";
import { Stage } from "./stage.ts";

let stage: Stage;
const bob = { login: "bob", id: 2, type: "User" } as const;
const at = { owner: "acme", repo: "widgets" };

beforeEach(async () => {
  stage = await Stage.open({ requiredChecks: null, queue: { requiredStatuses: ["never"] } });
});
afterEach(() => stage.close());

describe("a command in a review", () => {
  test("queues the head that was reviewed", async () => {
    const pr = await stage.openPullRequest("good");
    await stage.octokit("bob").rest.pulls.createReview({
      ...at,
      pull_number: pr,
      event: "COMMENT",
      body: "Looks good!\n\n/trainyard merge",
    });
    await stage.until(pr, "testing");
  });

  test("does not queue a head that was pushed after the review", async () => {
    const pr = await stage.openPullRequest("good");
    const { head } = await stage.pull(pr);
    await stage.push("good", { "facts/good.json": '{"sets":["unreviewed"]}\n' });
    await stage.octokit("bob").rest.pulls.createReview({
      ...at,
      pull_number: pr,
      commit_id: head.sha,
      event: "COMMENT",
      body: "/trainyard merge",
    });
    await stage.untilCommented(pr, /\(`HEAD_MISMATCH`\)/);
    expect(await stage.look(pr)).toBeNull();
  });
});

test("a command in a line comment, in a description, or for another bot is answered, not carried out", async () => {
  const pr = await stage.openPullRequest("good");
  const pull = await stage.pull(pr);
  const comment = { node_id: "PRRC_1", body: "/trainyard merge", created_at: new Date().toISOString() };
  await deliver(stage, "pull_request_review_comment", {
    action: "created",
    pull_request: { number: pr },
    comment,
    sender: bob,
  });
  await stage.untilCommented(pr, /A command in a comment on a line is not carried out.*\(`NOT_A_COMMENT`\)/);
  await deliver(stage, "pull_request", {
    action: "opened",
    pull_request: { ...pull, body: "Adds it.\n\n/trainyard merge" },
    sender: bob,
  });
  await stage.untilCommented(pr, /A command in the description is not carried out.*\(`NOT_A_COMMENT`\)/);
  await deliverComment(stage, pr, "bors r+", bob);
  await stage.untilCommented(pr, /That is bors's command; here it is `\/trainyard merge`\./);
  await deliverComment(stage, pr, "r+", bob);
  await stage.untilCommented(pr, /That is not a command of this queue; here it is `\/trainyard merge`\./);
  expect(await stage.ourComments(pr)).toHaveLength(1);
  expect(await stage.look(pr)).toBeNull();
});

test("a command of another bot gets no answer if the repository file says so", async () => {
  await stage.pushToMain({ ".github/trainyard.yml": "answerOtherBots: false\n" });
  await stage.untilHandled();
  const pr = await stage.openPullRequest("good");
  await deliverComment(stage, pr, "@mergifyio queue", bob);
  await deliverComment(stage, pr, "retry", bob);
  await deliverComment(stage, pr, "/trainyard status", bob);
  await stage.untilCommented(pr, /is not in the queue/);
  expect((await stage.ourComments(pr)).join()).not.toMatch(/Mergify|here it is/);
});
