import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, test } from "@jest/globals";
import { eventually } from "./eventually.ts";
import { Stage } from "./stage.ts";
import type { StageOptions } from "./stage-options.ts";
import { variants } from "./variants.ts";

let stage: Stage;

async function open(options: StageOptions = {}): Promise<Stage> {
  stage = await Stage.open({ queue: {}, ...options });
  return stage;
}

/** Tests that never end, because the required check is never reported. */
const endless: StageOptions = { requiredChecks: null, queue: { requiredStatuses: ["never"] } };

afterEach(() => stage.close());

async function labelsOf(pr: number): Promise<string[]> {
  return (await stage.pull(pr)).labels.map(({ name }) => name ?? "");
}

async function untilPriority(pr: number, name: string): Promise<void> {
  await eventually(
    async () => ((await stage.look(pr))?.priorityName === name ? true : null),
    `#${pr} to have priority ${name}`,
  );
}

test("a label gets a pull request tested and merged", async () => {
  await open();
  const pr = await stage.openPullRequest("good");
  await stage.label(pr, "trainyard:merge");
  expect(await stage.until(pr, "merged")).toMatchObject({ submittedVia: "label", submittedBy: "alice" });
  await stage.untilCommented(pr, /\*\*Merged\*\* into `main`/);
});

test("a label that is put back in the second in which it was first put on submits the pull request again", async () => {
  await open(endless);
  const pr = await stage.openPullRequest("good");
  // GitHub's times are in whole seconds. On a slow machine, the label comes back in the next one.
  await sleep(1_000 - (Date.now() % 1_000) + 5);
  await stage.label(pr, "trainyard:merge");
  await stage.until(pr, "testing");
  await stage.client.cancelPullRequest({ ...stage.queue, pr: { number: pr } });
  await eventually(async () => ((await labelsOf(pr)).length === 0 ? true : null), `#${pr} to have no label`);
  // Otherwise the two webhooks of the label would be equal, and the second one would be taken for a replay.
  await stage.push("good", { "facts/more.json": "{}" });
  await stage.label(pr, "trainyard:merge");
  await stage.until(pr, "testing");
});

test("a priority label changes the priority of a queued pull request, and its removal undoes that", async () => {
  await open(endless);
  const [first, pr] = [await stage.openPullRequest("one"), await stage.openPullRequest("two")];
  await stage.comment(first, "/trainyard merge");
  await stage.until(first, "testing");
  await stage.comment(pr, "/trainyard merge");
  await untilPriority(pr, "medium");
  await stage.label(pr, "trainyard:priority-low", "bob");
  await untilPriority(pr, "low");
  await stage.label(pr, "trainyard:priority-high", "bob");
  await untilPriority(pr, "high");
  await stage.unlabel(pr, "trainyard:priority-high", "bob");
  await untilPriority(pr, "low");
  await stage.unlabel(pr, "trainyard:priority-low", "bob");
  await untilPriority(pr, "medium");
});

test("a priority label from before the submission counts, unless the comment names another priority", async () => {
  await open(endless);
  const [one, two] = [await stage.openPullRequest("one"), await stage.openPullRequest("two")];
  for (const pr of [one, two]) await stage.label(pr, "trainyard:priority-high");
  await stage.untilHandled();
  expect(await stage.look(one)).toBeNull();
  await stage.comment(one, "/trainyard merge");
  await untilPriority(one, "high");
  await stage.comment(two, "/trainyard merge --priority=low");
  await untilPriority(two, "low");
});

test("a label by a user without permission is removed, and the comment says why", async () => {
  await open(endless);
  const pr = await stage.openPullRequest("good");
  await stage.label(pr, "trainyard:merge", "dave");
  await stage.untilCommented(
    pr,
    /@dave has `read` permission .* The label `trainyard:merge` was removed again\./,
  );
  await eventually(async () => ((await labelsOf(pr)).length === 0 ? true : null), "the label to be removed");
  expect(await stage.look(pr)).toBeNull();
});

test("the answer to a refused label stays until the pull request is submitted, whatever is asked meanwhile", async () => {
  await open(endless);
  const pr = await stage.openPullRequest("good");
  await stage.pushToMain({ ".github/trainyard.yml": "permission: admin\n" });
  await stage.untilHandled();
  await stage.label(pr, "trainyard:merge");
  await stage.untilCommented(pr, /queueing needs `admin`/);
  await stage.comment(pr, "/trainyard status");
  await stage.untilCommented(pr, /queueing needs `admin`[\s\S]*is not in the queue/);
  await stage.pushToMain({ ".github/trainyard.yml": "permission: write\n" });
  await stage.untilHandled();
  await stage.comment(pr, "/trainyard merge");
  await stage.until(pr, "testing");
  await stage.untilCommented(pr, /^(?![\s\S]*queueing needs)[\s\S]*\*\*Queued\*\*/);
});

test("the repository file can name the labels", async () => {
  await open(endless);
  await stage.pushToMain({
    ".github/trainyard.yml":
      "labels:\n  submit: ship it\n  priorities:\n    hotfix: urgent\n    later: 4000\n",
  });
  await stage.untilHandled();
  const pr = await stage.openPullRequest("good");
  await stage.label(pr, "trainyard:merge");
  await stage.label(pr, "later");
  await stage.label(pr, "ship it");
  await untilPriority(pr, "4000");
  await stage.label(pr, "hotfix");
  await untilPriority(pr, "urgent");
  await stage.unlabel(pr, "trainyard:merge");
  await stage.unlabel(pr, "ship it");
  expect(await stage.until(pr, "cancelled")).toMatchObject({ reason: "LABEL_REMOVED" });
});

test("the queue's settings for the label that submits override the repository file", async () => {
  await open({ ...endless, queue: { ...endless.queue, enqueueingLabel: "queue me" } });
  await stage.pushToMain({ ".github/trainyard.yml": "labels:\n  submit: ship it\n" });
  await stage.untilHandled();
  const [one, two] = [await stage.openPullRequest("one"), await stage.openPullRequest("two")];
  await stage.label(one, "ship it");
  await stage.label(two, "queue me");
  await stage.until(two, "testing");
  expect(await stage.look(one)).toBeNull();
  await stage.unlabel(two, "queue me");
  expect(await stage.until(two, "cancelled")).toMatchObject({ reason: "LABEL_REMOVED" });
});

test("labels have no effect when the queue's settings turn them off", async () => {
  await open({ ...endless, queue: { ...endless.queue, labelCommandsEnabled: false } });
  const [one, two] = [await stage.openPullRequest("one"), await stage.openPullRequest("two")];
  await stage.label(one, "trainyard:merge");
  await stage.comment(two, "/trainyard merge");
  await stage.until(two, "testing");
  await stage.label(two, "trainyard:priority-low");
  await stage.untilHandled();
  expect(await stage.untilReacted(await stage.comment(one, "/trainyard help"))).toBe("+1");
  expect(await stage.untilReacted(await stage.comment(two, "/trainyard help"))).toBe("+1");
  expect(await stage.look(one)).toBeNull();
  expect(await labelsOf(one)).toEqual(["trainyard:merge"]);
  expect((await stage.look(two))?.priorityName).toBe("medium");
});

describe("labels that show the state in the queue", () => {
  const names = "labels:\n  states:\n    pending: in line\n    testing: under test\n    merged: Done\n";

  test("change with the state, one at a time, and leave other labels alone", async () => {
    await open({ ...endless, queue: { ...endless.queue, concurrency: 1 } });
    await stage.pushToMain({ ".github/trainyard.yml": names });
    await stage.untilHandled();
    const [first, second] = [await stage.openPullRequest("one"), await stage.openPullRequest("two")];
    await stage.label(second, "by hand");
    await stage.comment(first, "/trainyard merge");
    await untilLabelled(first, "under test");
    await stage.comment(second, "/trainyard merge");
    await untilLabelled(second, "by hand", "in line");
    await stage.comment(first, "/trainyard cancel");
    await untilLabelled(first);
    await untilLabelled(second, "by hand", "under test");
  });

  test("are set once for each lasting state, and only when they are configured", async () => {
    await open();
    const [one, two] = [await stage.openPullRequest("one"), await stage.openPullRequest("two")];
    await stage.comment(one, "/trainyard merge");
    await stage.until(one, "merged");
    await stage.untilCommented(one, /\*\*Merged\*\*/);
    expect(changesOfLabels(one)).toBe(0);
    await stage.pushToMain({ ".github/trainyard.yml": names });
    await stage.untilHandled();
    await stage.comment(two, "/trainyard merge");
    await stage.until(two, "merged");
    await untilLabelled(two, "Done");
    expect(changesOfLabels(two)).toBeLessThanOrEqual(5);
  });

  test("have default names when the queue's settings enable them and the repository file names none", async () => {
    await open({ ...endless, queue: { ...endless.queue, stateLabelsEnabled: true } });
    const pr = await stage.openPullRequest("one");
    await stage.comment(pr, "/trainyard merge");
    await untilLabelled(pr, "trainyard:testing");
    await stage.client.updateQueue({ ...stage.queue, stateLabelsEnabled: false });
    await stage.comment(pr, "/trainyard cancel");
    await untilLabelled(pr);
  });

  /** Waits until a pull request has exactly these labels. */
  function untilLabelled(pr: number, ...labels: string[]): Promise<true> {
    const wanted = JSON.stringify(labels);
    return eventually(
      async () => (JSON.stringify((await labelsOf(pr)).toSorted()) === wanted ? true : null),
      `#${pr} to have the labels ${wanted}`,
    );
  }

  /** The number of times the service has added or removed labels. */
  function changesOfLabels(pr: number): number {
    return stage.sandbox.requests.entries.filter(
      ({ operationId, name, path }) =>
        name === stage.sandbox.app.slug &&
        ["issues/add-labels", "issues/remove-label"].includes(operationId ?? "") &&
        path.includes(`/issues/${pr}/`),
    ).length;
  }
});

test.each(
  variants([
    ["by webhook", {}],
    ["by polling", { sandbox: { webhooks: { drop: 1 } }, environment: { TRAINYARD_RECONCILE_MS: "200" } }],
  ] as const),
)("labels in another case give the same commands, found %s", async (_how, options) => {
  await open({ ...endless, ...options });
  const pr = await stage.openPullRequest("good");
  await stage.label(pr, "Trainyard:Priority-High");
  await stage.label(pr, "TrainYard:Merge");
  await stage.until(pr, "testing");
  await untilPriority(pr, "high");
  await stage.unlabel(pr, "TrainYard:Merge");
  await stage.until(pr, "cancelled");
});
