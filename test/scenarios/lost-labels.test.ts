import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect, test } from "@jest/globals";
import { eventually } from "./eventually.ts";
import { Gate } from "./gate.ts";
import { redeliver } from "./redeliver.ts";
import { Stage } from "./stage.ts";
import type { StageOptions } from "./stage-options.ts";

let stage: Stage;
let gate: Gate;

const noPolling = { TRAINYARD_RECONCILE_MS: "86400000" };
const polling = { TRAINYARD_RECONCILE_MS: "200" };
const submitLabel = "trainyard:merge";

/** Waits for the next second, because GitHub's times are in whole seconds. */
const nextSecond = () => sleep(1_000 - (Date.now() % 1_000) + 5);

async function open(options: StageOptions = {}): Promise<void> {
  gate = new Gate();
  stage = await Stage.open({
    queue: {},
    ci: { lastStep: gate.lastStep },
    environment: noPolling,
    ...options,
  });
}

afterEach(async () => {
  gate.open();
  await stage.close();
});

/** Does something whose webhook is lost, and lets a second pass. */
async function unheard(act: () => Promise<unknown>): Promise<void> {
  stage.sandbox.setWebhookUrl(null);
  await act();
  stage.sandbox.setWebhookUrl(`${stage.url}/api/github/webhooks`);
  await nextSecond();
}

async function startPolling(): Promise<void> {
  await stage.stopService();
  await stage.startService(polling);
}

async function labelsOf(pr: number): Promise<(string | undefined)[]> {
  return (await stage.pull(pr)).labels.map(({ name }) => name);
}

/** Submits another pull request by a label that polling finds, so that it has looked at all that happened before. */
async function untilPolled(name: string, label = submitLabel): Promise<void> {
  const pr = await stage.openPullRequest(name, undefined, { settle: false });
  await nextSecond();
  await unheard(() => stage.label(pr, label));
  await stage.until(pr, "testing");
}

test("a label that polling finds on a closed pull request submits the pull request once it is open again", async () => {
  await open();
  const pr = await stage.openPullRequest("one");
  await nextSecond();
  await unheard(() => stage.label(pr, submitLabel));
  await unheard(() => stage.update(pr, { state: "closed" }));
  await startPolling();
  await untilPolled("two");
  await unheard(() => stage.update(pr, { state: "open" }));
  expect(await stage.until(pr, "testing")).toMatchObject({ submittedVia: "label", submittedBy: "alice" });
});

test("a label that was put back after a push stays, and submits the new head, when the push is noticed later", async () => {
  await open();
  const pr = await stage.openPullRequest("one");
  await stage.label(pr, submitLabel);
  await stage.until(pr, "testing");
  await nextSecond();
  await unheard(() => stage.push("one", { "facts/one.json": '{"more":true}\n' }));
  await unheard(() => stage.unlabel(pr, submitLabel));
  await unheard(() => stage.label(pr, submitLabel));
  await startPolling();
  const { sha } = (await stage.pull(pr)).head;
  await eventually(
    async () => ((await stage.look(pr))?.prSha === sha ? true : null),
    "the new head to be submitted",
  );
  expect(await stage.until(pr, "testing")).toMatchObject({ submittedVia: "label", prSha: sha });
  expect(await labelsOf(pr)).toContain(submitLabel);
});

test("a label that has been removed since does not submit when its webhook arrives late", async () => {
  await open();
  const pr = await stage.openPullRequest("one");
  await stage.stopService();
  await stage.label(pr, submitLabel);
  await stage.unlabel(pr, submitLabel);
  // Only now is its webhook late.
  await sleep(7_000);
  await stage.startService(noPolling);
  await redeliver(stage.sandbox, "pull_request", "labeled");
  await stage.untilHandled();
  await stage.untilReacted(await stage.comment(pr, "/trainyard help"));
  expect(await stage.look(pr)).toBeNull();
});

test("a label from before the queue's settings named it does not submit", async () => {
  await open({ environment: polling });
  const pr = await stage.openPullRequest("one");
  await stage.label(pr, "ship it");
  await untilPolled("two");
  await nextSecond();
  await stage.client.updateQueue({ ...stage.queue, enqueueingLabel: "ship it" });
  await untilPolled("three", "ship it");
  await stage.comment(pr, "Nice work!");
  await untilPolled("four", "ship it");
  expect(await stage.look(pr)).toBeNull();
  expect(await labelsOf(pr)).toContain("ship it");
});

test("a refused label is answered also if GitHub loses the answer to its removal", async () => {
  await open();
  const pr = await stage.openPullRequest("one");
  const lost = { operation: "issues/remove-label", kind: "500", side: "after", count: 1_000 } as const;
  const end = stage.sandbox.faults.next(lost);
  await stage.label(pr, submitLabel, "dave");
  await eventually(async () => ((await labelsOf(pr)).length === 0 ? true : null), "the label to be removed");
  // Only now is its webhook late.
  await sleep(7_000);
  end();
  await stage.untilCommented(
    pr,
    /@dave has `read` permission .* The label `trainyard:merge` was removed again\./,
  );
});
