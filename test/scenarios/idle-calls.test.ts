import { afterEach, expect, test } from "@jest/globals";
import { eventually } from "./eventually.ts";
import { Stage } from "./stage.ts";

let stage: Stage;

afterEach(() => stage.close());

test("an idle queue checks its access to the repository without using up GitHub's limit", async () => {
  stage = await Stage.open({ queue: {}, environment: { TRAINYARD_RECONCILE_MS: "50" } });
  const { requests } = stage.sandbox;
  const looks = ["apps/get-repo-installation", "repos/get", "repos/get-branch"];
  // The first readings count against the limit.
  await eventually(async () => (requests.notModified > 10 ? true : null), "answers that have not changed");
  requests.clear();
  await eventually(async () => (requests.notModified > 30 ? true : null), "further ones");
  const counted = Object.keys(requests.countByOperation());
  expect(counted.filter((operation) => looks.includes(operation))).toEqual([]);
});

test("an idle queue finds out that its App was suspended when all webhooks are lost", async () => {
  stage = await Stage.open({ queue: {}, environment: { TRAINYARD_RECONCILE_MS: "50" } });
  stage.sandbox.setWebhookUrl(null);
  const { requests } = stage.sandbox;
  await eventually(async () => (requests.notModified > 10 ? true : null), "answers that have not changed");
  await stage.sandbox.suspend("acme");
  await eventually(async () => {
    const { state, stateReason } = await stage.client.getQueue(stage.queue);
    return state === "paused" && stateReason === "APP_SUSPENDED" ? true : null;
  }, "the queue to be paused");
});
