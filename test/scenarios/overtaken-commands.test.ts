import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, test } from "@jest/globals";
import { eventually } from "./eventually.ts";
import { Gate } from "./gate.ts";
import { Stage } from "./stage.ts";

let stage: Stage;
let gate: Gate;

const noPolling = { TRAINYARD_RECONCILE_MS: "86400000" };
const polling = { TRAINYARD_RECONCILE_MS: "200" };

/** Waits for the next second, because GitHub's times are in whole seconds. */
const nextSecond = () => sleep(1_000 - (Date.now() % 1_000) + 5);

async function open(): Promise<number> {
  gate = new Gate();
  stage = await Stage.open({ queue: {}, ci: { lastStep: gate.lastStep }, environment: noPolling });
  const pr = await stage.openPullRequest("one");
  await nextSecond();
  return pr;
}

afterEach(async () => {
  gate.open();
  await stage.close();
});

/** Does something whose webhook is lost, and lets a second pass. */
async function unheard<T>(act: () => Promise<T>): Promise<T> {
  stage.sandbox.setWebhookUrl(null);
  const done = await act();
  stage.sandbox.setWebhookUrl(`${stage.url}/api/github/webhooks`);
  await nextSecond();
  return done;
}

/** Starts the service again, with polling, so that it finds what it has not heard. */
async function lookForLostCommands(): Promise<void> {
  await stage.stopService();
  await stage.startService(polling);
}

describe("a command that is found after a later one was carried out changes nothing", () => {
  test("a comment that merges, after one that cancels", async () => {
    const pr = await open();
    const merge = await unheard(() => stage.comment(pr, "/trainyard merge"));
    await stage.untilReacted(await stage.comment(pr, "/trainyard cancel"));
    await lookForLostCommands();
    expect(await stage.untilReacted(merge)).toBe("confused");
    await expectUnqueued(pr);
    const answer = /`\/trainyard merge` of [-\d]+ [:\d]+ UTC arrived after `cancel` of .* \(`SUPERSEDED`\)/;
    await eventually(
      async () => (answer.test((await stage.ourComments(pr)).at(-1) ?? "") ? true : null),
      "the answer",
    );
  });

  test("a label that merges, after a comment that cancels", async () => {
    const pr = await open();
    await unheard(() => stage.label(pr, "trainyard:merge"));
    await stage.untilReacted(await stage.comment(pr, "/trainyard cancel"));
    await lookForLostCommands();
    await eventually(
      async () => ((await stage.pull(pr)).labels.length === 0 ? true : null),
      "the label to be removed",
    );
    await expectUnqueued(pr);
  });

  test("a comment that cancels, after one that merges", async () => {
    const pr = await open();
    await stage.untilReacted(await stage.comment(pr, "/trainyard merge"));
    await nextSecond();
    const cancel = await unheard(() => stage.comment(pr, "/trainyard cancel"));
    await stage.untilReacted(await stage.comment(pr, "/trainyard merge"));
    await lookForLostCommands();
    expect(await stage.untilReacted(cancel)).toBe("confused");
    gate.open();
    await stage.until(pr, "merged");
  });

  test("a comment that pauses the queue, after one that resumes it on another pull request", async () => {
    const pr = await open();
    const pause = await unheard(() => stage.comment(pr, "/trainyard pause", "admin"));
    const other = await stage.openPullRequest("two");
    await stage.untilReacted(await stage.comment(other, "/trainyard resume", "admin"));
    await lookForLostCommands();
    expect(await stage.untilReacted(pause)).toBe("confused");
    expect((await stage.client.getQueue(stage.queue)).state).toBe("running");
  });
});

test("a command that is found after another person's refused one is carried out", async () => {
  const pr = await open();
  const merge = await unheard(() => stage.comment(pr, "/trainyard merge"));
  expect(await stage.untilReacted(await stage.comment(pr, "/trainyard cancel", "carol"))).toBe("confused");
  await lookForLostCommands();
  expect(await stage.untilReacted(merge)).toBe("+1");
  gate.open();
  await stage.until(pr, "merged");
});

test("a merge command that is found after a try was requested later is carried out", async () => {
  const pr = await open();
  const merge = await unheard(() => stage.comment(pr, "/trainyard merge"));
  expect(await stage.untilReacted(await stage.comment(pr, "/trainyard try"))).toBe("+1");
  await lookForLostCommands();
  expect(await stage.untilReacted(merge)).toBe("+1");
  gate.open();
  await stage.until(pr, "merged");
});

test("a cancel that is found after a try was requested later does not end the try", async () => {
  const pr = await open();
  const cancel = await unheard(() => stage.comment(pr, "/trainyard cancel"));
  expect(await stage.untilReacted(await stage.comment(pr, "/trainyard try"))).toBe("+1");
  await lookForLostCommands();
  expect(await stage.untilReacted(cancel)).toBe("confused");
  gate.open();
  await eventually(
    async () => (/Try passed/.test((await stage.ourComments(pr)).at(-1) ?? "") ? true : null),
    "the result of the try",
  );
});

test("a merge and its cancellation that are both found after a later try leave the pull request unqueued", async () => {
  const pr = await open();
  const merge = await unheard(() => stage.comment(pr, "/trainyard merge"));
  const cancel = await unheard(() => stage.comment(pr, "/trainyard cancel"));
  expect(await stage.untilReacted(await stage.comment(pr, "/trainyard try"))).toBe("+1");
  await lookForLostCommands();
  await stage.untilReacted(merge);
  await stage.untilReacted(cancel);
  gate.open();
  await stage.until(pr, "cancelled");
  await stage.untilHandled();
  expect((await stage.pull(pr)).merged).toBe(false);
});

async function expectUnqueued(pr: number): Promise<void> {
  gate.open();
  await stage.untilHandled();
  expect(await stage.look(pr)).toBeNull();
  expect((await stage.pull(pr)).merged).toBe(false);
}
