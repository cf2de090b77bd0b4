import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, test } from "@jest/globals";
import { openStore } from "../../src/store/sqlite/open-store.ts";
import { unpackBody } from "../../tools/sandbox/webhooks/hook-transport.ts";
import { parsePrometheus } from "../api/prometheus.ts";
import { eventually } from "./eventually.ts";
import { Stage } from "./stage.ts";

let stage: Stage;
let offsetMs = 0;

const submitLabel = "trainyard:merge";
const dayMs = 24 * 60 * 60 * 1000;

async function open(environment: Record<string, string> = {}): Promise<Stage> {
  offsetMs = 0;
  stage = await Stage.open({
    requiredChecks: null,
    queue: { requiredStatuses: ["never"] },
    clock: { now: () => Date.now() + offsetMs },
    environment,
  });
  return stage;
}

afterEach(() => stage.close());

/** Sends a delivery that GitHub signed once more, under an id that the signature does not cover. */
async function replay(event: string, action: string, guid: string = randomUUID()): Promise<void> {
  const captured = stage.sandbox.deliveries.findLast((one) => one.event === event && one.action === action);
  if (!captured) throw new Error(`${event} ${action} was never delivered`);
  const response = await fetch(captured.url, {
    method: "POST",
    body: unpackBody(captured),
    headers: { ...captured.requestHeaders, "x-github-delivery": guid },
  });
  expect(response.status).toBe(200);
}

/** Waits until all earlier deliveries about a pull request are handled, because they are handled in order. */
async function handled(pr: number): Promise<void> {
  await stage.untilReacted(await stage.comment(pr, "/trainyard help", "bob"));
}

async function ignored(reason: string): Promise<number | undefined> {
  const headers = { "x-api-token": stage.token };
  const text = await (await fetch(`${stage.url}/v1/getMergeQueueMetrics`, { headers })).text();
  return parsePrometheus(text).find(
    ({ name, labels }) => name === "trainyard_commands_ignored_total" && labels.reason === reason,
  )?.value;
}

/** Moves the clock by `days` days, and forgets what was handled that long ago. */
async function later(days: number): Promise<void> {
  await stage.stopService();
  offsetMs += days * dayMs;
  const store = await openStore(stage.databaseUrl);
  expect(await store.inbox.forget(Date.now() + offsetMs)).toBeGreaterThan(0);
  await store.close();
  await stage.startService();
}

describe("a delivery that is sent again under another id", () => {
  test("does not queue a pull request again that was taken out since", async () => {
    await open();
    const pr = await stage.openPullRequest("good");
    await stage.label(pr, submitLabel);
    await stage.until(pr, "testing");
    await stage.unlabel(pr, submitLabel);
    await stage.until(pr, "cancelled");
    await stage.untilHandled();
    await replay("pull_request", "labeled");
    await handled(pr);
    expect(await stage.look(pr)).toMatchObject({ state: "cancelled" });
    expect(await ignored("repeated")).toBe(1);
  });

  test("does not take out a pull request that was queued again since", async () => {
    await open();
    const pr = await stage.openPullRequest("good");
    await stage.label(pr, submitLabel);
    await stage.until(pr, "testing");
    await stage.unlabel(pr, submitLabel);
    await stage.until(pr, "cancelled");
    // Otherwise the two webhooks of the label may be equal, because GitHub's times are in whole seconds.
    await sleep(1_000 - (Date.now() % 1_000) + 5);
    await stage.label(pr, submitLabel);
    await stage.until(pr, "testing");
    await stage.untilHandled();
    await replay("pull_request", "unlabeled");
    await handled(pr);
    expect(await stage.look(pr)).toMatchObject({ state: "testing" });
  });

  test("does not answer an edited comment again", async () => {
    await open();
    const pr = await stage.openPullRequest("good");
    const comment_id = await stage.comment(pr, "Looks good!");
    const edit = { owner: "acme", repo: "widgets", comment_id, body: "/trainyard merge" };
    await stage.octokit("admin").rest.issues.updateComment(edit);
    await stage.untilCommented(pr, /`COMMENT_EDITED`/);
    await handled(pr);
    await replay("issue_comment", "edited");
    await stage.untilReacted(await stage.comment(pr, "/trainyard status", "bob"));
    await stage.untilCommented(pr, /@bob: .*is not in the queue/);
    expect(await ignored("repeated")).toBe(1);
  });
});

describe("a delivery that was handled so long ago that it is forgotten is not handled again:", () => {
  test.each([
    ["a label that is sent again", "pull_request", "labeled"],
    ["a comment that is sent again", "issue_comment", "created"],
  ])("%s", async (_what, event, action) => {
    await open();
    const pr = await stage.openPullRequest("good");
    if (event === "pull_request") await stage.label(pr, submitLabel);
    else await stage.comment(pr, "/trainyard merge");
    await stage.until(pr, "testing");
    await stage.client.cancelPullRequest({ ...stage.queue, pr: { number: pr } });
    await stage.untilHandled();
    const { guid } = stage.sandbox.deliveries.findLast((one) => one.action === action) ?? {};
    await later(31);
    await replay(event, action, guid);
    // Polling may find the comment, and ignore it, too.
    await eventually(async () => ((await ignored("too_old")) ? true : null), "it to be ignored");
    expect(await stage.look(pr)).toMatchObject({ state: "cancelled" });
  });

  test("a comment that polling finds again, because no later comment exists", async () => {
    await open({ TRAINYARD_RECONCILE_MS: "100" });
    const pr = await stage.openPullRequest("good");
    await stage.comment(pr, "/trainyard merge");
    await stage.until(pr, "testing");
    await stage.client.cancelPullRequest({ ...stage.queue, pr: { number: pr } });
    await stage.untilHandled();
    await later(31);
    const { requests } = stage.sandbox;
    const polls = () => requests.entries.length + requests.notModified;
    const before = polls();
    await eventually(async () => (polls() >= before + 20 ? true : null), "more polls");
    expect(await stage.look(pr)).toMatchObject({ state: "cancelled" });
  });
});
