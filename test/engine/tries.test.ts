import { describe, expect, test } from "@jest/globals";
import { nextDeadline } from "../../src/engine/deadline.ts";
import type { PullRequestFacts } from "../../src/engine/model/entry.ts";
import type { QueueSettings } from "../../src/engine/model/settings.ts";
import type { TestRun } from "../../src/engine/model/test-run.ts";
import { deserializeState, serializeState } from "../../src/engine/snapshot.ts";
import { readyPullRequest } from "../../src/replay/engine-run/messages.ts";
import { everyPolicy } from "./every-policy.ts";
import { check, QueueHarness } from "./queue-harness.ts";

const alice = { kind: "user", name: "alice" } as const;

class TryHarness extends QueueHarness {
  try(pr: number, facts: Partial<PullRequestFacts> = {}) {
    this.now += 1;
    const pullRequest = readyPullRequest(pr, { headSha: `head-${pr}`, ...facts });
    const heads = { expectedHead: null, seenHead: pullRequest.headSha };
    return this.take({ type: "try", pullRequest, ...heads, actor: alice, via: "comment" });
  }

  cancelTry(pr: number) {
    this.take({ type: "cancel_try", pr, actor: alice, via: "comment" });
  }

  tryRun(pr: number): TestRun | null {
    return this.state.tries.get(pr)?.run ?? null;
  }

  tryBuilt(pr: number) {
    const run = this.tryRun(pr);
    if (!run) throw new Error(`#${pr} has no run`);
    this.take({ type: "test_commit_concluded", runId: run.id, outcome: this.builtOf(run) });
  }

  tryBuildEnds(pr: number, outcome: Parameters<QueueHarness["buildEnds"]>[1]) {
    this.take({ type: "test_commit_concluded", runId: this.tryRun(pr)?.id ?? "", outcome });
  }

  get tryEnds() {
    return this.log.flatMap(({ data }) =>
      data.type === "try_ended" ? [`#${data.pr} ${data.verdict} ${data.reason.code}`] : [],
    );
  }
}

describe.each(everyPolicy)("with the policy $name, a try", (policy) => {
  const queueOf = (changes: Partial<QueueSettings> = {}) => {
    const queue = new TryHarness({ concurrency: 1, ...policy.settings, ...changes });
    queue.targets = () => "ALL";
    return queue;
  };

  test("is built on the base alone, and no other run is built on it", () => {
    const queue = queueOf({ concurrency: 6 });
    queue.submit(1);
    queue.built(1);
    queue.try(2);
    queue.submit(3);
    expect(queue.tryRun(2)).toMatchObject({ ahead: [], members: [2], state: "building" });
    const others = [...queue.state.runs.values()].flatMap(({ ahead, members }) => [...ahead, ...members]);
    expect(others).not.toContain(2);
  });

  test("waits for a free slot, and gives it up when a queue entry needs it", () => {
    const queue = queueOf();
    queue.try(1);
    queue.tryBuilt(1);
    queue.try(2);
    expect(queue.tryRun(2)).toBeNull();
    queue.submit(3);
    expect(queue.tryRun(1)).toBeNull();
    expect(queue.run(3).state).toBe("building");
    const back = queue.log.find(({ data }) => data.type === "try_put_back");
    expect(back?.data).toMatchObject({ pr: 1, dropped: { built: true, cancels: true } });
    queue.cancel(3);
    expect(queue.tryRun(1)?.state).toBe("building");
    expect(queue.tryRun(2)).toBeNull();
  });

  test("is retried after an outage, and fails after ten outages", () => {
    const queue = queueOf();
    queue.try(1);
    for (let attempt = 1; attempt < 10; attempt++) {
      queue.tryBuildEnds(1, { kind: "infrastructure_error", message: "out of order" });
      expect(queue.tryRun(1)).toBeNull();
      queue.now = nextDeadline(queue.state) ?? 0;
      queue.take({ type: "clock" });
      expect(queue.tryRun(1)?.state).toBe("building");
    }
    queue.tryBuildEnds(1, { kind: "infrastructure_error", message: "out of order" });
    expect(queue.tryEnds).toEqual(["#1 failed RETRIES_EXHAUSTED"]);
  });

  test("ends on a conflict, on a timeout, and when its pull request is closed or pushed to", () => {
    const queue = queueOf({ concurrency: 4 });
    for (const pr of [1, 2, 3, 4]) queue.try(pr);
    queue.tryBuildEnds(1, { kind: "conflict", pr: 1 });
    queue.tryBuilt(2);
    queue.now = nextDeadline(queue.state) ?? 0;
    queue.take({ type: "clock" });
    queue.observe(3, { state: "closed" });
    queue.observe(4, { draft: true });
    queue.observe(4, { headSha: "head-4b" });
    expect(queue.tryEnds).toEqual([
      "#1 failed MERGE_CONFLICT_WITH_BASE",
      "#2 failed TESTING_TIMEOUT",
      "#3 stopped PR_CLOSED",
      "#4 stopped PUSHED_TO",
    ]);
  });

  test("ends when its pull request is submitted, and is refused while the pull request is queued", () => {
    const queue = queueOf();
    queue.try(1);
    queue.try(1);
    queue.submit(1);
    expect(queue.tryEnds).toEqual(["#1 stopped SUBMITTED_BY_USER"]);
    expect(queue.try(1)).toEqual({ code: "ALREADY_QUEUED", pr: 1 });
    queue.cancelTry(1);
    expect(queue.tryEnds).toHaveLength(1);
  });

  test("of a fork has to name its head, and no try starts in a paused queue", () => {
    const queue = queueOf();
    expect(queue.try(1, { fromFork: true })).toMatchObject({ code: "FORK_NEEDS_SHA" });
    queue.configure({ status: "paused" });
    queue.try(2);
    expect(queue.tryRun(2)).toBeNull();
    expect(nextDeadline(queue.state)).toBeNull();
    expect(queue.take({ type: "delete_queue", actor: alice })).toEqual({ code: "QUEUE_NOT_EMPTY", prs: [2] });
    queue.configure({ status: "running" });
    expect(queue.tryRun(2)?.state).toBe("building");
  });

  test("is held to the checks that are required now", () => {
    const queue = queueOf();
    queue.try(1);
    queue.tryBuilt(1);
    queue.requires("build", "test");
    const report = (...names: string[]) =>
      queue.take({
        type: "checks_observed",
        runId: queue.tryRun(1)?.id ?? "",
        checks: names.map((name, id) => check(name, "success", { id })),
      });
    report("build");
    expect(queue.tryEnds).toEqual([]);
    report("build", "test");
    expect(queue.tryEnds).toEqual([expect.stringMatching(/^#1 passed/)]);
  });

  test("is stored in snapshots", () => {
    const queue = queueOf();
    queue.try(1);
    queue.tryBuilt(1);
    const text = serializeState(queue.state);
    expect(serializeState(deserializeState(text))).toBe(text);
    expect(deserializeState(text).tries.get(1)?.run?.state).toBe("running");
  });
});
