import { describe, expect, test } from "@jest/globals";
import { TargetSet } from "../../src/engine/collections/target-set.ts";
import type { PullRequestFacts } from "../../src/engine/model/pull-request-facts.ts";
import { isAllowed } from "../../src/engine/model/transition.ts";
import { renderReason } from "../../src/engine/reasons/render-reason.ts";
import { check, pullRequest, QueueHarness } from "./queue-harness.ts";

/** #1, #2 and #3 are under test, each on top of those ahead. */
function threeInLine(): QueueHarness {
  const queue = new QueueHarness({ concurrency: 3, testingTimeoutMinutes: 60 });
  for (const pr of [1, 2, 3]) queue.submit(pr);
  queue.built(1, 2, 3);
  return queue;
}

describe("an entry leaves", () => {
  test.each([
    ["a push", { headSha: "head-2b" }, "PUSHED_TO"],
    ["a close", { state: "closed" as const }, "PR_CLOSED"],
    ["another base branch", { baseBranch: "next" }, "BASE_BRANCH_CHANGED"],
    ["conversion to a draft", { draft: true }, "CONVERTED_TO_DRAFT"],
  ])("after %s, and those behind it are tested without it", (_what, facts, reason) => {
    const queue = threeInLine();
    queue.observe(2, facts);
    expect(queue.stateOf(2)).toBe("cancelled");
    expect(queue.reasonOf(2)).toBe(reason);
    expect(queue.storyOf(3)).toContain("testing→pending AHEAD_CANCELLED");
    expect(queue.run(3).ahead).toEqual([1]);
    expect(queue.stateOf(1)).toBe("testing");
  });

  test("when a user cancels it, and can be submitted again", () => {
    const queue = threeInLine();
    expect(queue.cancel(2)).toBeNull();
    expect(queue.reasonOf(2)).toBe("CANCELLED_BY_USER");
    queue.submit(2);
    expect(queue.state.entries.get(2)).toMatchObject({ id: "entry-2", state: "pending" });
  });

  test("when someone else merges it, and those behind it are tested again", () => {
    const queue = threeInLine();
    queue.observe(2, { state: "merged", mergedSha: "by-hand" });
    expect(queue.stateOf(2)).toBe("merged");
    expect(queue.reasonOf(2)).toBe("MERGED_BY_OTHERS");
    expect(queue.storyOf(3)).toContain("testing→pending AHEAD_MERGED_BY_HAND");
  });

  test("only by the outcome of its merge once GitHub is asked to merge it", () => {
    const queue = threeInLine();
    queue.passes(1);
    expect(queue.state.merge?.steps.map(({ pr }) => pr)).toEqual([1]);
    queue.calls(1);
    expect(queue.cancel(1)).toEqual({ code: "MERGE_ALREADY_ORDERED", pr: 1 });
    expect(queue.restart(1)).toEqual({ code: "MERGE_ALREADY_ORDERED", pr: 1 });
    queue.observe(1, { headSha: "head-1b" });
    expect(queue.submit(1, { headSha: "head-1b" })).toEqual({ code: "MERGE_ALREADY_ORDERED", pr: 1 });
    expect(queue.stateOf(1)).toBe("tests_passed");
    queue.mergeStops({ kind: "head_changed" });
    expect(queue.storyOf(1).at(-1)).toBe("tests_passed→failed HEAD_CHANGED");
    expect(queue.storyOf(2)).toContain("testing→pending AHEAD_FAILED");
  });
});

describe("a push to an entry that is not ready", () => {
  const red = { mergeability: "not_mergeable", blockers: ["required check build failed"] } as const;
  const push = (queue: QueueHarness, facts: Partial<PullRequestFacts>, keepsSubmission: boolean) =>
    queue.take({ type: "pull_request_observed", pullRequest: pullRequest(1, facts), keepsSubmission });

  test("by somebody who may submit keeps the submission, and the new head is tested once it is ready", () => {
    const queue = new QueueHarness();
    queue.submit(1, red);
    const [submitted] = [...queue.state.entries.values()];
    push(queue, { ...red, headSha: "head-1b" }, true);
    expect(queue.state.entries.get(1)).toMatchObject({ ...submitted, headSha: "head-1b" });
    queue.observe(1, { headSha: "head-1b" });
    expect(queue.stateOf(1)).toBe("pending");
    expect(queue.run(1).members).toEqual([1]);
  });

  test("leaves the reason why it waits as it is while GitHub computes its mergeability again", () => {
    const queue = new QueueHarness();
    queue.submit(1, red);
    const before = queue.state.entries.get(1);
    queue.observe(1, { mergeability: "in_progress", blockers: [] });
    expect(queue.state.entries.get(1)).toEqual(before);
    queue.observe(1, {});
    expect(queue.stateOf(1)).toBe("pending");
  });

  test("takes it out of the queue if it comes from anybody else", () => {
    const queue = new QueueHarness();
    queue.submit(1, red);
    push(queue, { ...red, headSha: "head-1b" }, false);
    expect(queue.storyOf(1).at(-1)).toBe("not_ready→cancelled PUSHED_TO");
  });

  test("does not keep targets, which belong to the earlier head", () => {
    const queue = new QueueHarness({ mode: "parallel" });
    queue.targets = () => TargetSet.of([1]);
    queue.submit(1, red);
    push(queue, { headSha: "head-1b" }, true);
    expect(queue.state.entries.get(1)).toMatchObject({ targets: null, state: "not_ready" });
    queue.take({ type: "targets_observed", pr: 1, headSha: "head-1b", targets: TargetSet.of([2]) });
    expect(queue.stateOf(1)).toBe("pending");
  });

  test("takes an entry in test out of the queue, whoever pushed", () => {
    const queue = threeInLine();
    push(queue, { headSha: "head-1b" }, true);
    expect(queue.reasonOf(1)).toBe("PUSHED_TO");
  });
});

describe("a submission", () => {
  test("of a new head through the API replaces the queued head", () => {
    const queue = threeInLine();
    queue.via = "api";
    expect(queue.submit(2, { headSha: "head-2b" })).toBeNull();
    expect(queue.storyOf(2)).toContain("testing→cancelled PUSHED_TO");
    expect(queue.state.entries.get(2)?.headSha).toBe("head-2b");
  });

  test("by a comment is refused for a head that was pushed after the queued one", () => {
    const queue = threeInLine();
    expect(queue.submit(2, { headSha: "pushed-2" })).toMatchObject({
      code: "HEAD_MISMATCH",
      expected: "head-2",
      actual: "pushed-2",
    });
    expect(queue.stateOf(2)).toBe("testing");
  });

  test("is refused for a pull request that is not open, and for a head that the submitter has not seen", () => {
    const queue = new QueueHarness();
    expect(queue.submit(1, { state: "closed" })).toMatchObject({ code: "PR_NOT_OPEN" });
    const refusal = queue.take({
      type: "submit",
      entryId: "entry-1",
      pullRequest: pullRequest(1, { headSha: "bbbbbbbbbb" }),
      expectedHead: null,
      seenHead: "aaaaaaaaaa",
      priority: null,
      noBatch: null,
      targets: null,
      actor: { kind: "user", name: "alice" },
      via: "comment",
    });
    expect(refusal).toEqual({ code: "HEAD_MISMATCH", pr: 1, expected: "aaaaaaaaaa", actual: "bbbbbbbbbb" });
    expect(queue.state.entries.size).toBe(0);
  });

  test.each(["comment", "label"] as const)("of a fork's pull request by a %s has to name its head", (via) => {
    const queue = new QueueHarness();
    queue.via = via;
    expect(queue.submit(1, { fromFork: true })).toMatchObject({ code: "FORK_NEEDS_SHA" });
    queue.via = "api";
    expect(queue.submit(1, { fromFork: true })).toBeNull();
    queue.via = via;
    // A repeated submission can change the priority, for example.
    expect(queue.submit(1, { fromFork: true })).toBeNull();
  });

  test.each(["comment", "label"] as const)(
    "by a %s is refused for a head that is not proven to be older than the command",
    (via) => {
      const queue = threeInLine();
      queue.via = via;
      queue.seenHead = () => null;
      expect(queue.submit(4)).toMatchObject({ code: "HEAD_NOT_PROVEN", pr: 4, head: "head-4" });
      // A head that is already queued needs no proof.
      expect(queue.submit(2)).toBeNull();
      expect(queue.submit(2, { headSha: "pushed-2" })).toMatchObject({ code: "HEAD_MISMATCH" });
      queue.via = "api";
      expect(queue.submit(4)).toBeNull();
    },
  );

  test("waits until its pull request is ready, and is cancelled when that takes a day", () => {
    const queue = new QueueHarness();
    queue.submit(1, { mergeability: "in_progress" });
    queue.submit(2, { draft: true });
    expect([queue.stateOf(1), queue.stateOf(2)]).toEqual(["not_ready", "not_ready"]);
    queue.observe(1, { mergeability: "mergeable" });
    expect(queue.testing).toEqual([1]);
    queue.passesTime(24 * 60);
    expect(queue.reasonOf(2)).toBe("READINESS_TIMEOUT");
  });

  test("waits for readiness as long as notReadyTimeoutHours allows", () => {
    const queue = new QueueHarness({ notReadyTimeoutHours: 48 });
    queue.submit(1, { draft: true });
    queue.passesTime(47 * 60);
    expect(queue.stateOf(1)).toBe("not_ready");
    queue.passesTime(60);
    expect(queue.reasonOf(1)).toBe("READINESS_TIMEOUT");
  });
});

describe("the clock", () => {
  test("fails a test run that takes too long, and names the checks that never reported", () => {
    const queue = threeInLine();
    queue.passesTime(61);
    expect(queue.stateOf(1)).toBe("failed");
    const ended = queue.log.find(({ data }) => data.type === "entry_moved" && data.to === "failed");
    expect(ended?.data).toMatchObject({ reason: { code: "TESTING_TIMEOUT", missing: ["build"] } });
  });

  test("fails a test run that hangs, and names the checks that are still running", () => {
    const queue = new QueueHarness({ testingTimeoutMinutes: 30 });
    queue.submit(1);
    queue.built(1);
    queue.checks(1, [check("build", null)]);
    queue.passesTime(31);
    const ended = queue.log.find(({ data }) => data.type === "entry_moved" && data.to === "failed");
    if (ended?.data.type !== "entry_moved") throw new Error("#1 did not fail");
    expect(renderReason(ended.data.reason)).toBe(
      "tests did not finish within 30 minutes; still running: build",
    );
  });

  test("retries a build after an infrastructure error, up to 290 times", () => {
    const queue = new QueueHarness();
    queue.submit(1);
    for (let attempt = 1; attempt < 290; attempt++) {
      queue.buildEnds(1, { kind: "infrastructure_error", message: "bad gateway" });
      expect(queue.reasonOf(1)).toBe("INFRASTRUCTURE_ERROR");
      expect(queue.testing).toEqual([]);
      queue.passesTime(11);
      expect(queue.testing).toEqual([1]);
    }
    queue.buildEnds(1, { kind: "infrastructure_error", message: "bad gateway" });
    expect(queue.storyOf(1).at(-1)).toBe("pending→failed RETRIES_EXHAUSTED");
  });
});

describe("the base branch", () => {
  test("restarts every test on its new tip when it moves from outside", () => {
    const queue = threeInLine();
    queue.passes(3);
    queue.baseMovesTo("outside");
    for (const pr of [1, 2, 3]) expect(queue.storyOf(pr).at(-1)).toMatch(/→pending BASE_MOVED/);
    expect(queue.run(3)).toMatchObject({ base: "outside", ahead: [1, 2] });
  });

  test("is not changed by an observation that is older than the queue's own merge", () => {
    const queue = threeInLine();
    const before = queue.state.seq;
    queue.passes(1);
    queue.merges();
    queue.take({ type: "base_observed", sha: "base-0", asOfSeq: before });
    expect(queue.state.base.at(-1)?.sha).toBe("landed-1");
  });

  test("can be forced back to an earlier tip, and pull requests merge as usual", () => {
    const queue = threeInLine();
    queue.passes(1);
    queue.merges();
    queue.baseMovesTo("base-0");
    queue.built(2, 3);
    queue.passes(2);
    queue.merges();
    queue.passes(3);
    queue.merges();
    expect([queue.stateOf(2), queue.stateOf(3)]).toEqual(["merged", "merged"]);
  });

  test("sends a pull request back to testing when its merge finds another tip", () => {
    const queue = threeInLine();
    queue.passes(1);
    queue.mergeStops({ kind: "base_moved", actual: "outside" });
    expect(queue.storyOf(1).at(-1)).toBe("tests_passed→pending BASE_MOVED");
    expect(queue.run(1).base).toBe("outside");
  });

  test("pauses the queue with the reason TREE_MISMATCH when it gets an untested tree", () => {
    const queue = threeInLine();
    queue.passes(1);
    const mismatch = {
      code: "TREE_MISMATCH",
      pr: 1,
      sha: "odd",
      expectedTree: "a",
      actualTree: "b",
    } as const;
    queue.mergeStops({ kind: "tree_mismatch", mismatch });
    expect(queue.state).toMatchObject({ status: "paused", statusReason: mismatch });
    expect(queue.stateOf(1)).toBe("merged");
    expect(queue.testing).toEqual([]);
  });
});

describe("a restart", () => {
  test("retests the entry and those behind it, and keeps their places", () => {
    const queue = threeInLine();
    expect(queue.restart(2)).toBeNull();
    expect(queue.storyOf(2)).toContain("testing→pending RESTARTED");
    expect(queue.storyOf(3)).toContain("testing→pending AHEAD_RESTARTED");
    expect([...queue.state.line]).toEqual([1, 2, 3]);
    expect(queue.stateOf(1)).toBe("testing");
  });

  test("is refused for a pull request that is not queued or not testing", () => {
    const queue = new QueueHarness();
    queue.submit(1);
    expect(queue.restart(1)).toEqual({ code: "NOT_TESTING", pr: 1, state: "pending" });
    expect(queue.restart(9)).toEqual({ code: "NOT_QUEUED", pr: 9 });
  });
});

describe("a queue", () => {
  test("that is paused finishes its tests, and starts and merges nothing until it runs again", () => {
    const queue = new QueueHarness();
    queue.submit(1);
    queue.submit(2);
    queue.built(1);
    queue.configure({ status: "paused" });
    queue.passes(1);
    expect(queue.stateOf(1)).toBe("tests_passed");
    expect([queue.state.merge, queue.testing]).toEqual([null, []]);
    queue.configure({ status: "running" });
    expect(queue.state.merge?.steps).toHaveLength(1);
    expect(queue.testing).toEqual([2]);
  });

  test("that is paused shows the reason that is given to it later, and keeps it if none is given", () => {
    const queue = threeInLine();
    queue.configure({ status: "paused" });
    const because = { kind: "user", name: "admin", reason: "CI is down" } as const;
    queue.take({ type: "configure", changes: { status: "paused" }, actor: because });
    const reason = { code: "CONFIGURED", by: "@admin", note: "CI is down" };
    expect(queue.state).toMatchObject({ status: "paused", statusReason: reason });
    queue.configure({ status: "paused" });
    expect(queue.state.statusReason).toEqual(reason);
  });

  test("that is draining finishes its tests and merges, and starts no test", () => {
    const queue = new QueueHarness();
    queue.submit(1);
    queue.submit(2);
    queue.built(1);
    queue.configure({ status: "draining" });
    queue.passes(1);
    queue.merges();
    expect([queue.stateOf(1), queue.stateOf(2)]).toEqual(["merged", "pending"]);
    expect(queue.testing).toEqual([]);
  });

  test("that switches modes drains, refuses configuration, and then tests the waiting entries in the new mode", () => {
    const queue = new QueueHarness();
    queue.submit(1);
    queue.submit(2);
    queue.built(1);
    queue.configure({ mode: "parallel" });
    expect(queue.state.status).toBe("switching_modes");
    expect(queue.configure({ concurrency: 2 })).toEqual({ code: "SWITCHING_MODES" });
    queue.passes(1);
    queue.merges();
    expect(queue.state).toMatchObject({ status: "running", settings: { mode: "parallel" } });
    expect(queue.testing).toEqual([2]);
  });

  test("that switches modes can be paused, merges nothing then, and can be resumed", () => {
    const queue = new QueueHarness();
    queue.submit(1);
    queue.built(1);
    queue.configure({ mode: "parallel" });
    expect(queue.configure({ status: "paused" })).toBeNull();
    expect(queue.state).toMatchObject({ status: "switching_modes", next: { status: "paused" } });
    queue.passes(1);
    expect(queue.state.merge).toBeNull();
    expect(queue.state).toMatchObject({ status: "paused", settings: { mode: "parallel" } });
    queue.configure({ status: "running" });
    queue.built(1);
    queue.passes(1);
    queue.merges();
    expect(queue.stateOf(1)).toBe("merged");
  });

  test("that switches modes can be paused and resumed before the switch ends", () => {
    const queue = new QueueHarness();
    queue.submit(1);
    queue.built(1);
    queue.configure({ mode: "parallel" });
    queue.configure({ status: "paused" });
    queue.configure({ status: "running" });
    queue.passes(1);
    queue.merges();
    expect(queue.stateOf(1)).toBe("merged");
    expect(queue.state).toMatchObject({ status: "running", settings: { mode: "parallel" } });
  });

  test("with no entry under test changes its mode at once", () => {
    const queue = new QueueHarness();
    queue.submit(1, { draft: true });
    queue.configure({ mode: "parallel", status: "draining" });
    expect(queue.state).toMatchObject({ status: "draining", settings: { mode: "parallel" } });
  });

  test("that is paused stays paused during and after a mode switch, and merges nothing", () => {
    const queue = new QueueHarness();
    queue.submit(1);
    queue.built(1);
    queue.configure({ status: "paused" });
    queue.configure({ mode: "parallel" });
    expect(queue.state.status).toBe("switching_modes");
    queue.passes(1);
    expect(queue.state).toMatchObject({ status: "paused", settings: { mode: "parallel" }, merge: null });
    expect(queue.stateOf(1)).toBe("pending");
    queue.configure({ status: "running" });
    expect(queue.testing).toEqual([1]);
  });

  test("takes a status that was set together with a mode once the mode has changed", () => {
    const queue = new QueueHarness();
    queue.submit(1);
    queue.built(1);
    queue.configure({ mode: "parallel", status: "draining" });
    queue.passes(1);
    queue.merges();
    expect(queue.state).toMatchObject({ status: "draining", settings: { mode: "parallel" } });
  });

  test("can be deleted only when it is empty", () => {
    const queue = new QueueHarness();
    queue.submit(1);
    const actor = { kind: "token", name: "admin" } as const;
    expect(queue.take({ type: "delete_queue", actor })).toEqual({ code: "QUEUE_NOT_EMPTY", prs: [1] });
    queue.cancel(1);
    expect(queue.take({ type: "delete_queue", actor })).toBeNull();
    expect(queue.submit(2)).toMatchObject({ code: "QUEUE_NOT_FOUND" });
  });
});

test("the transition table has no READY arrow from a terminal state to pending", () => {
  for (const state of ["merged", "failed", "cancelled"] as const) {
    expect(isAllowed(state, "pending", "READY")).toBe(false);
  }
});
