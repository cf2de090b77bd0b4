import { afterEach, expect, test } from "@jest/globals";
import { eventually } from "./eventually.ts";
import { Stage } from "./stage.ts";

let stage: Stage;

afterEach(() => stage.close());

test("a bisected batch leaves no test branch behind after its culprit is found", async () => {
  stage = await Stage.open({
    queue: { policy: "fixed", batch: true, batchingMinSize: 3, batchingMaxWaitTimeMinutes: 1 },
    // The sweeper would run only half an hour later.
    environment: { TRAINYARD_RECONCILE_MS: "600000" },
  });
  const good = [await stage.openPullRequest("one"), await stage.openPullRequest("two")];
  const culprit = await stage.openPullRequest("three", { "facts/three.json": '{"forbids": ["one"]}\n' });
  await stage.push("one", { "facts/one.json": '{"sets": ["one"]}\n' });
  await stage.untilHandled();
  for (const number of [...good, culprit])
    await stage.client.submitPullRequest({ ...stage.queue, pr: { number } });
  for (const pr of good) await stage.until(pr, "merged");
  await stage.until(culprit, "failed");
  await eventually(async () => {
    const at = { owner: "acme", repo: "widgets", ref: "heads/trainyard-merge/" };
    const { data } = await stage.octokit("alice").rest.git.listMatchingRefs(at);
    return data.length === 0 ? true : null;
  }, "every test branch to be removed");
  expect(await stage.look(culprit)).toMatchObject({ reason: "CHECKS_FAILED" });
});
