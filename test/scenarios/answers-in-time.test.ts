import { afterEach, expect, test } from "@jest/globals";
import { eventually } from "./eventually.ts";
import { Stage } from "./stage.ts";

let stage: Stage;

afterEach(() => stage.close());

/** Updates of the status are collected for so long that a test would end before the first one. */
const slowUpdates = { TRAINYARD_PUBLISH_MS: "600000" };

/** A pull request that waits in a paused queue. */
async function waitingInPausedQueue(): Promise<number> {
  stage = await Stage.open({ queue: {}, environment: slowUpdates });
  await stage.client.updateQueue({ ...stage.queue, state: "paused" });
  const pr = await stage.openPullRequest("good");
  await stage.comment(pr, "/trainyard merge");
  await stage.until(pr, "pending");
  await stage.untilCommented(pr, /\*\*Queued\*\*/);
  return pr;
}

test("a command is answered at once, although an update of the status is planned for later", async () => {
  const pr = await waitingInPausedQueue();
  await stage.comment(pr, "/trainyard status", "bob");
  await stage.untilCommented(pr, /@bob: .*paused/s);
});

test("everybody who commands one pull request at the same time is answered", async () => {
  const pr = await waitingInPausedQueue();
  const people = ["alice", "bob", "carol"];
  const comments = await Promise.all(people.map((login) => stage.comment(pr, "/trainyard status", login)));
  for (const id of comments) expect(await stage.untilReacted(id)).toBe("+1");
  await stage.untilCommented(pr, /(?=.*@alice: )(?=.*@bob: )(?=.*@carol: )/s);
});

test("an answer to the same person replaces the earlier one", async () => {
  const pr = await waitingInPausedQueue();
  await stage.comment(pr, "/trainyard status", "bob");
  await stage.untilCommented(pr, /@bob: .*paused/s);
  await stage.comment(pr, "/trainyard help", "bob");
  const comment = await stage.untilCommented(pr, /@bob: .*trainyard restart/s);
  expect(comment.match(/@bob: /g)).toHaveLength(1);
});

test("the first comment mentions no check before there is one", async () => {
  const pr = await waitingInPausedQueue();
  const { sha } = (await stage.pull(pr)).head;
  const [comment = ""] = await stage.ourComments(pr);
  expect(await stage.ourChecks(sha)).toEqual([]);
  expect(comment).not.toMatch(/check/i);
});

test("the first comment is written soon, even while GitHub computes the mergeability", async () => {
  stage = await Stage.open({
    sandbox: { delays: { mergeability: 15_000 } },
    queue: {},
    environment: { ...slowUpdates, TRAINYARD_MERGEABILITY_MS: "100" },
  });
  const pr = await stage.openPullRequest("good", undefined, { settle: false });
  await stage.comment(pr, "/trainyard merge");
  await eventually(async () => (await stage.ourComments(pr))[0] ?? null, "a first comment");
});
