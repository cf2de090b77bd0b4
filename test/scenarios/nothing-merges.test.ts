import { randomBytes } from "node:crypto";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { textOf } from "../dashboard/page-text.ts";
import { Receiver } from "../service/webhooks/receiver.ts";
import { eventually } from "./eventually.ts";
import { Gate } from "./gate.ts";
import { MovedClock } from "./moved-clock.ts";
import { Stage } from "./stage.ts";

let stage: Stage;
let gate: Gate;
let receiver: Receiver;

beforeEach(async () => {
  gate = new Gate();
  receiver = await Receiver.start();
});
afterEach(async () => {
  gate.open();
  await receiver.close();
  await stage.close();
});

async function submit(pr: number): Promise<void> {
  await stage.client.submitPullRequest({ ...stage.queue, pr: { number: pr } });
}

test("a test that never ends raises an alarm on the check, the comment, the pages, in the API, to subscribers and in the metrics, until something merges", async () => {
  const clock = new MovedClock();
  stage = await Stage.open({
    queue: { concurrency: 2, testingTimeoutMinutes: 1_000 },
    ci: { lastStep: gate.lastStep },
    environment: {
      TRAINYARD_ENCRYPTION_KEY: randomBytes(32).toString("base64"),
      TRAINYARD_WEBHOOK_ALLOW_PRIVATE: "true",
    },
    clock: { now: () => clock.now() },
  });
  await stage.client.createWebhook({ url: receiver.url, events: ["queue.*"] });
  const first = await stage.openPullRequest("first");
  const second = await stage.openPullRequest("second");
  await submit(first);
  await stage.until(first, "testing");
  clock.pass(61 * 60_000);
  await submit(second);

  const { stall } = await eventually(async () => {
    const queue = await stage.client.getQueue(stage.queue);
    return queue.stall ? queue : null;
  }, "the alarm");
  expect(stall).toMatchObject({
    prNumber: first,
    reason: "WAITING_FOR_CHECKS",
    text: expect.stringContaining("waiting for build"),
  });
  const { head } = await stage.pull(first);
  const check = await eventually(async () => {
    const [check] = await stage.ourChecks(head.sha);
    return check?.output.summary?.includes("Nothing has merged since") ? check : null;
  }, "the check to say so");
  expect(check.output.summary).toContain("This pull request is the first in the queue.");
  await stage.untilCommented(
    first,
    /> Nothing has merged since \d\d:\d\d UTC\. This pull request is the first/,
  );
  await stage.untilCommented(second, new RegExp(`#${first} is the first in the queue`));
  const explained = await stage.client.explainPullRequest({ ...stage.queue, pr: { number: second } });
  expect(explained.why[0]).toMatchObject({ code: "NOTHING_MERGES", refs: [`#${first}`] });
  expect(explained.forecast).toBeNull();
  const page = textOf(await (await fetch(stage.pageUrl)).text());
  expect(page).toContain(`Nothing has merged for 1 h . First is #${first} : waiting for build`);
  expect(await stage.client.getMergeQueueMetrics()).toMatch(/trainyard_stalled\{[^}]*\} 1\n/);
  const told = () => receiver.received.map(({ body }) => JSON.parse(body) as Record<string, unknown>);
  await eventually(async () => (told().length === 1 ? true : null), "the subscriber to be told");
  expect(told()[0]).toMatchObject({
    type: "queue.stalled",
    pr_number: first,
    stall_reason: "WAITING_FOR_CHECKS",
    test_branch: expect.stringMatching(new RegExp(`^trainyard-merge/pr-${first}/`)),
  });

  gate.open();
  await stage.until(first, "merged");
  expect((await stage.client.getQueue(stage.queue)).stall).toBeNull();
  expect(await stage.client.getMergeQueueMetrics()).toMatch(/trainyard_stalled\{[^}]*\} 0\n/);
  await eventually(async () => (told().length === 2 ? true : null), "the end to be told");
  expect(told()[1]).toMatchObject({ type: "queue.recovered", pr_number: first, stall_reason: null });
  await stage.until(second, "merged");

  const read = async (path: string) => textOf(await (await fetch(stage.pageUrl + path)).text());
  const alarm = `Alarm: nothing has merged for too long\\. First in the queue is #${first} \\.`;
  expect(await read(`/pulls/${first}`)).toMatch(new RegExp(`Timeline .*Submitted .*${alarm} .*Merged as`));
  expect(await read(`/pulls/${second}`)).toMatch(
    new RegExp(`Timeline .*Submitted .*${alarm} .*The alarm that nothing merges ends\\. .*Merged as`),
  );
  expect(await read("/past")).toMatch(/ stalled (\d+ min )?\d+ s /);
});
