import { randomBytes } from "node:crypto";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { Receiver, verified } from "../service/webhooks/receiver.ts";
import { eventually } from "./eventually.ts";
import { Stage } from "./stage.ts";

const environment = {
  TRAINYARD_ENCRYPTION_KEY: randomBytes(32).toString("base64"),
  TRAINYARD_WEBHOOK_ALLOW_PRIVATE: "true",
};

let stage: Stage | null = null;
let receiver: Receiver;

beforeEach(async () => {
  receiver = await Receiver.start();
});
afterEach(async () => {
  await receiver.close();
  await stage?.close();
  stage = null;
});

test("a webhook subscriber receives every step of a pull request that merges and of one that fails", async () => {
  const opened = await Stage.open({
    queue: {},
    environment: { ...environment, TRAINYARD_PUBLIC_URL: "https://queue.example" },
  });
  stage = opened;
  const { secret } = await opened.client.createWebhook({ url: receiver.url });
  const good = await opened.openPullRequest("good", { "facts/good.json": '{"sets":["x"]}\n' });
  const bad = await opened.openPullRequest("bad", { "facts/bad.json": '{"forbids":["x"]}\n' });
  for (const number of [good, bad])
    await opened.client.submitPullRequest({ ...opened.queue, pr: { number } });
  await opened.until(good, "merged");
  await opened.until(bad, "failed");

  const told = (pr: number) =>
    receiver.received.map((one) => verified(secret ?? "", one)).filter((payload) => payload.pr_number === pr);
  const actions = (pr: number) => told(pr).map(({ action }) => action);
  await eventually(async () => (actions(bad).includes("failed") ? true : null), "the failure to be told");
  await eventually(async () => (actions(good).includes("merged") ? true : null), "the merge to be told");
  expect(actions(good)).toEqual(["submitted", "queued", "testing", "merged"]);
  expect(actions(bad).slice(0, 3)).toEqual(["submitted", "queued", "testing"]);
  const pull = await opened.pull(good);
  const testing = told(good)[2];
  expect(testing).toMatchObject({
    author: "alice",
    http_details_url: `https://queue.example${new URL(opened.pageUrl).pathname}/pulls/${good}`,
    test_branch: expect.stringMatching(new RegExp(`^trainyard-merge/pr-${good}/`)),
    test_branch_sha: expect.stringMatching(/^[0-9a-f]{40}$/),
  });
  expect(told(good).at(-1)).toMatchObject({
    merged_reason: "MERGED_IN_ORDER",
    reason_text: `merged as ${pull.merge_commit_sha?.slice(0, 7)}`,
  });
  expect(told(bad).at(-1)).toMatchObject({
    failure_reason: "CHECKS_FAILED",
    reason_text: expect.stringContaining("failed: test"),
  });
});

test("a webhook subscriber receives the changes of a flaky test in order", async () => {
  const opened = await Stage.open({ queue: {}, environment });
  stage = opened;
  const events = ["test_case.*"] as const;
  const { secret } = await opened.client.createWebhook({ url: receiver.url, events: [...events] });
  const failed = '<testcase name="turns"><failure message="no"/></testcase><testcase name="turns"/>';
  await opened.client.uploadTestResults({
    ...{ repo: opened.queue.repo, head_sha: "a".repeat(40), tree_sha: "b".repeat(40) },
    ...{ branch: "main", kind: "stable", run_id: "1", run_attempt: 1, job: "test", step_failed: false },
    reports: [{ path: "a.xml", content: `<testsuite name="w">${failed}</testsuite>` }],
  });
  const told = await eventually(
    async () => (receiver.received.length === 2 ? receiver.received : null),
    "both",
  );
  expect(told.map((one) => verified(secret ?? "", one))).toEqual([
    expect.objectContaining({ type: "test_case.status_changed", name: "turns", previous_status: "HEALTHY" }),
    expect.objectContaining({ type: "test_case.quarantined", quarantine_reason: "FLAKY" }),
  ]);
});
