import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { eventually } from "./eventually.ts";
import { Gate } from "./gate.ts";
import { mergeCalls } from "./merge-calls.ts";
import { Stage } from "./stage.ts";
import { variants } from "./variants.ts";

let stage: Stage;
let gate: Gate;
/** Ends the faults of the merge call. */
let mend: () => void;

beforeEach(() => {
  gate = new Gate();
});

afterEach(async () => {
  gate.open();
  await stage.close();
});

/** Opens one pull request under test, and makes its merge calls fail while reads still reach GitHub. */
async function aboutToMerge(
  mergeMethod: "merge_commit" | "squash",
  fault: { kind: "500" | "reset"; operation?: string },
): Promise<number> {
  stage = await Stage.open({ queue: { mergeMethod }, ci: { lastStep: gate.lastStep } });
  const pr = await stage.openPullRequest("one");
  await stage.client.submitPullRequest({ ...stage.queue, pr: { number: pr } });
  await stage.until(pr, "testing");
  const { operation = mergeCalls[mergeMethod] } = fault;
  mend = stage.sandbox.faults.next({ operation, kind: fault.kind, side: "before", count: 1_000 });
  if (mergeMethod === "merge_commit")
    stage.sandbox.faults.next({ operation: "git/update-ref", kind: "500", side: "before", count: 1_000 });
  gate.open();
  return pr;
}

const injected = (operation: string) =>
  eventually(
    async () => ((stage.sandbox.faults.count("operation")[operation] ?? 0) > 0 ? true : null),
    `a fault in ${operation}`,
  );

async function expectUnmerged(pr: number, before: string): Promise<void> {
  stage.sandbox.faults.use(null);
  await stage.untilHandled();
  expect([(await stage.branch("main")).commit.sha, (await stage.pull(pr)).merged]).toEqual([before, false]);
}

const cancel = (pr: number) => stage.client.cancelPullRequest({ ...stage.queue, pr: { number: pr } });

describe.each(variants(["merge_commit", "squash"]))("while a merge with %s is retried,", (method) => {
  test("a closed pull request does not merge", async () => {
    const pr = await aboutToMerge(method, { kind: "500" });
    const before = (await stage.branch("main")).commit.sha;
    await injected(mergeCalls[method]);
    await stage.update(pr, { state: "closed" });
    expect(await stage.until(pr, "cancelled")).toMatchObject({ reason: "PR_CLOSED" });
    await expectUnmerged(pr, before);
  });

  test("a cancel is carried out, and the pull request does not merge", async () => {
    const pr = await aboutToMerge(method, { kind: "reset" });
    const before = (await stage.branch("main")).commit.sha;
    await injected(mergeCalls[method]);
    // As long as the outcome of the call is unknown, the cancel is too late.
    const cancelled = await eventually(() => cancel(pr).catch(() => null), "the cancel to be accepted");
    expect(cancelled).toMatchObject({ state: "cancelled", reason: "CANCELLED_BY_API" });
    await expectUnmerged(pr, before);
  });

  test("a cancel in a comment waits until it is known that nothing merged, and is carried out", async () => {
    const pr = await aboutToMerge(method, { kind: "reset" });
    const before = (await stage.branch("main")).commit.sha;
    await injected(mergeCalls[method]);
    const comment = await stage.comment(pr, "/trainyard cancel", "bob");
    expect(await stage.until(pr, "cancelled")).toMatchObject({ reason: "CANCELLED_BY_USER" });
    expect(await stage.untilReacted(comment)).toBe("+1");
    await expectUnmerged(pr, before);
  });

  test("a cancel is carried out at once before any merge call", async () => {
    const pr = await aboutToMerge(method, { kind: "500", operation: "graphql/repository" });
    const before = (await stage.branch("main")).commit.sha;
    await eventually(async () => {
      const entry = await stage.look(pr);
      return entry?.why.some(({ code }) => code === "MERGING") ? entry : null;
    }, "the merge to be ordered");
    await injected("graphql/repository");
    expect(await cancel(pr)).toMatchObject({ state: "cancelled" });
    await expectUnmerged(pr, before);
  });
});

test("a queue that is paused while its merge is retried does not merge", async () => {
  const pr = await aboutToMerge("squash", { kind: "500", operation: "graphql/repository" });
  const before = (await stage.branch("main")).commit.sha;
  await injected("graphql/repository");
  await stage.client.updateQueue({ ...stage.queue, state: "paused" });
  mend();
  await stage.untilHandled();
  expect((await stage.branch("main")).commit.sha).toBe(before);
  await stage.client.updateQueue({ ...stage.queue, state: "running" });
  await stage.until(pr, "merged");
});

test("a merge whose answer was lost is found to be done, and is not called off", async () => {
  stage = await Stage.open({ queue: { mergeMethod: "squash" }, ci: { lastStep: gate.lastStep } });
  const pr = await stage.openPullRequest("one");
  await stage.client.submitPullRequest({ ...stage.queue, pr: { number: pr } });
  await stage.until(pr, "testing");
  stage.sandbox.faults.next({ operation: "pulls/merge", kind: "reset", side: "after" });
  gate.open();
  expect(await stage.until(pr, "merged")).toMatchObject({ reason: "MERGED_IN_ORDER" });
});
