import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, test } from "@jest/globals";
import type { NextFault } from "../../tools/sandbox/faults/faults.ts";
import { eventually } from "./eventually.ts";
import { Gate } from "./gate.ts";
import { Stage } from "./stage.ts";
import type { StageOptions } from "./stage-options.ts";

let stage: Stage;
let gate: Gate;
let offsetMs = 0;

const submitLabel = "trainyard:merge";
const readPermission = "repos/get-collaborator-permission-level";
const countless = 1_000_000;

afterEach(async () => {
  gate.open();
  await stage.close();
});

/** How a pull request is submitted and withdrawn, and why it leaves the queue then. */
interface Way {
  readonly submit: (pr: number) => Promise<unknown>;
  readonly withdraw: (pr: number) => Promise<unknown>;
  readonly reason: string;
}

const submit = (pr: number) => stage.comment(pr, "/trainyard merge");
const review = (pr: number, body: string) =>
  stage.octokit("bob").rest.pulls.createReview({
    ...{ owner: "acme", repo: "widgets", pull_number: pr },
    ...{ event: "COMMENT", body },
  });
const ways: Readonly<Record<string, Way>> = {
  commented: {
    submit,
    withdraw: (pr) => stage.comment(pr, "/trainyard cancel", "bob"),
    reason: "CANCELLED_BY_USER",
  },
  reviewed: {
    submit,
    withdraw: (pr) => review(pr, "/trainyard cancel"),
    reason: "CANCELLED_BY_USER",
  },
  labelled: {
    submit: (pr) => stage.label(pr, submitLabel),
    withdraw: (pr) => stage.unlabel(pr, submitLabel, "bob"),
    reason: "LABEL_REMOVED",
  },
  drafted: { submit, withdraw: (pr) => stage.update(pr, { draft: true }), reason: "CONVERTED_TO_DRAFT" },
  automatic: {
    submit: (pr) => stage.setAutoMerge(pr, "enable"),
    withdraw: (pr) => stage.setAutoMerge(pr, "disable"),
    reason: "AUTO_MERGE_DISABLED",
  },
};

/** Tests pull requests that were submitted in these ways. Returns their numbers by name. */
async function testAll(names: readonly string[], options: StageOptions = {}): Promise<Map<string, number>> {
  offsetMs = 0;
  gate = new Gate();
  gate.open();
  stage = await Stage.open({
    // GitHub's own auto-merge waits for a branch that has the tip of main. The rules do not bind the App.
    ...{ rules: { strict: true }, bypass: true, clock: { now: () => Date.now() + offsetMs } },
    ci: { lastStep: (job) => gate.lastStep(job) },
    environment: { TRAINYARD_RECONCILE_MS: "86400000" },
    ...options,
    queue: { mergeMethod: "squash", concurrency: 8, submitByAutoMerge: true, ...options.queue },
  });
  const prs = new Map<string, number>();
  for (const name of names) prs.set(name, await stage.openPullRequest(name, undefined, { settle: false }));
  await stage.pushToMain({ "notes.txt": "All are behind.\n" });
  await stage.sandbox.settled();
  gate = new Gate();
  for (const [name, pr] of prs) {
    await (ways[name]?.submit ?? submit)(pr);
    if (!options.queue?.batch) await stage.until(pr, "testing");
  }
  for (const pr of prs.values()) await stage.until(pr, "testing");
  return prs;
}

async function withdrawAll(prs: ReadonlyMap<string, number>): Promise<void> {
  for (const [name, pr] of prs) await ways[name]?.withdraw(pr);
}

async function expectWithdrawn(prs: ReadonlyMap<string, number>): Promise<void> {
  for (const [name, pr] of prs) {
    const { reason } = ways[name] ?? {};
    if (reason) expect(await stage.until(pr, "cancelled")).toMatchObject({ reason });
    if (reason) expect((await stage.pull(pr)).merged).toBe(false);
  }
}

/** Injects a fault until the returned function is called. */
function fail(fault: NextFault): () => void {
  return stage.sandbox.faults.next({ side: "before", count: countless, ...fault });
}

/** Lets time pass, in steps in which the service does what is due. */
async function pass(ms: number, steps: number, pr: number): Promise<void> {
  for (let step = 0; step < steps; step += 1) {
    offsetMs += ms / steps;
    // Wakes the workers, which sleep for seconds.
    await stage.comment(pr, "Is GitHub down?", "bob");
    await stage.sandbox.settled();
    await sleep(60);
  }
}

describe("a pull request that is withdrawn while GitHub fails does not merge when GitHub is back,", () => {
  test.each<[string, NextFault]>([
    ["after answers with 502", { kind: "502" }],
    ["after connections that are reset", { kind: "reset" }],
  ])("%s", async (_how, fault) => {
    // A fifth one would find no slot: guesses about the others take eight.
    const prs = await testAll(["commented", "labelled", "drafted", "automatic"]);
    const end = fail(fault);
    await withdrawAll(prs);
    gate.open();
    await stage.sandbox.settled();
    await pass(5 * 60_000, 10, prs.get("drafted") ?? 0);
    end();
    // Merges are tried again sooner than deliveries.
    await pass(20_000, 4, prs.get("drafted") ?? 0);
    await pass(120_000, 4, prs.get("drafted") ?? 0);
    await expectWithdrawn(prs);
  });
});

test("a pull request that is withdrawn while permissions cannot be read does not merge, and holds up nothing ahead of it", async () => {
  const prs = await testAll(["stays", "commented", "reviewed", "labelled"]);
  const end = fail({ kind: "502", operation: readPermission });
  await withdrawAll(prs);
  gate.open();
  await stage.until(prs.get("stays") ?? 0, "merged");
  const held = await eventually(
    async () => (await stage.look(2))?.why.find(({ code }) => code === "COMMAND_PENDING") ?? null,
    "#2 to wait for its cancel",
  );
  expect(held.text).toMatch(/a comment on #2 that was received before is not handled yet/i);
  end();
  await expectWithdrawn(prs);
});

describe("a pull request that is withdrawn without a webhook does not merge", () => {
  test.each(["labelled", "automatic"])("when it is %s", async (name) => {
    const prs = await testAll([name]);
    stage.sandbox.setWebhookUrl(null);
    await withdrawAll(prs);
    stage.sandbox.setWebhookUrl(`${stage.url}/api/github/webhooks`);
    gate.open();
    await expectWithdrawn(prs);
  });

  test("when it was tested together with one that merges before it", async () => {
    const batch = { policy: "fixed", batch: true, batchingMinSize: 2 } as const;
    const prs = await testAll(["stays", "labelled"], { queue: batch });
    stage.sandbox.setWebhookUrl(null);
    await withdrawAll(prs);
    stage.sandbox.setWebhookUrl(`${stage.url}/api/github/webhooks`);
    gate.open();
    await expectWithdrawn(prs);
  });

  test("unless its label was removed by somebody who may not withdraw it", async () => {
    const prs = await testAll(["labelled"]);
    stage.sandbox.setWebhookUrl(null);
    await stage.unlabel(1, submitLabel, "dave");
    stage.sandbox.setWebhookUrl(`${stage.url}/api/github/webhooks`);
    gate.open();
    await stage.until(prs.get("labelled") ?? 0, "merged");
  });
});

test("a command to pause that cannot be handled yet holds all merges of the queue", async () => {
  const prs = await testAll(["stays"]);
  const other = await stage.openPullRequest("other", undefined, { settle: false });
  const end = fail({ kind: "502", operation: readPermission });
  await stage.comment(other, "/trainyard pause", "admin");
  gate.open();
  await eventually(
    async () => (await stage.look(1))?.why.find(({ code }) => code === "COMMAND_PENDING") ?? null,
    "#1 to wait for the pause",
  );
  end();
  await eventually(
    async () => ((await stage.client.getQueue(stage.queue)).state === "paused" ? true : null),
    "the queue to be paused",
  );
  await stage.sandbox.settled();
  expect((await stage.pull(prs.get("stays") ?? 0)).merged).toBe(false);
});

test("a cancel that comes after the merge is answered as too late", async () => {
  const prs = await testAll(["stays"]);
  gate.open();
  await stage.until(prs.get("stays") ?? 0, "merged");
  const comment = await stage.comment(1, "/trainyard cancel", "bob");
  expect(await stage.untilReacted(comment)).toBe("confused");
  await stage.untilCommented(1, /@bob: #1 has merged, so it is too late to cancel\..*\(`MERGED_BEFORE`\)/);
});
