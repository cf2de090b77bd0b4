import { describe, expect, test } from "@jest/globals";
import { TargetSet } from "../../../src/engine/collections/target-set.ts";
import type { QueueHarness } from "../queue-harness.ts";
import { lane, line, runOf } from "../transitions/adaptive-queue.ts";

const outage = { kind: "infrastructure_error", message: "bad gateway" } as const;

/** #3 depends on #2, and #2 depends on #1. #3 does not depend on #1 directly. */
function chain(): QueueHarness {
  const queue = lane({ concurrency: 3 });
  queue.targets = (pr) => TargetSet.of([pr, pr + 1]);
  for (const pr of [1, 2, 3]) queue.submit(pr);
  return queue;
}

describe("a conflicting test commit", () => {
  test("is rebuilt on top of its transitive dependencies", () => {
    const queue = chain();
    expect(runOf(queue, [3], [2]).state).toBe("building");
    queue.buildOfRunEnds(runOf(queue, [3], [2]), { kind: "conflict", pr: 2 });
    expect(queue.run(3)).toMatchObject({ ahead: [1, 2], state: "building" });
  });

  test("waits for its transitive dependencies when it conflicts with them, too", () => {
    const queue = chain();
    queue.buildOfRunEnds(runOf(queue, [3], [2]), { kind: "conflict", pr: 2 });
    queue.buildOfRunEnds(runOf(queue, [3], [1, 2]), { kind: "conflict", pr: 3 });
    expect(queue.state.entries.get(3)).toMatchObject({ state: "pending", heldBehind: [1, 2], runId: null });
    queue.cancel(2);
    expect(queue.testing).toEqual([1]);
    queue.cancel(1);
    expect(queue.run(3).ahead).toEqual([]);
  });

  test.each([lane, line])("fails its pull request when nothing is ahead of it", (queueOf) => {
    const queue = queueOf({}, 1, 2);
    queue.buildEnds(1, { kind: "conflict", pr: 1 });
    expect([queue.stateOf(1), queue.reasonOf(1)]).toEqual(["failed", "MERGE_CONFLICT_WITH_BASE"]);
    expect(queue.run(2).ahead).toEqual([]);
  });

  test("fails its pull request when nothing is ahead of it, even while another run of it is being built", () => {
    const queue = lane({ concurrency: 3 }, 1);
    queue.built(1);
    queue.fails(1);
    const building = [...queue.state.runs.values()].filter(({ state }) => state === "building");
    const [first] = building;
    if (!first) throw new Error("nothing is being built");
    expect(building).toHaveLength(2);
    queue.buildOfRunEnds(first, { kind: "conflict", pr: 1 });
    expect([queue.stateOf(1), queue.reasonOf(1)]).toEqual(["failed", "MERGE_CONFLICT_WITH_BASE"]);
  });

  test("of a batch holds back only the conflicting member", () => {
    const queue = lane({ batch: true, batchingMinSize: 3 }, 1, 2, 3);
    queue.buildEnds(1, { kind: "conflict", pr: 2 });
    queue.buildEnds(1, { kind: "conflict", pr: 2 });
    expect(queue.state.entries.get(2)?.heldBehind).toEqual([1]);
    expect(queue.run(3)).toMatchObject({ ahead: [], members: [1, 3] });
  });
});

describe("an infrastructure error", () => {
  test.each([lane, line])("of a build delays only its pull request", (queueOf) => {
    const queue = queueOf({ concurrency: 2 }, 1, 2);
    queue.buildOfRunEnds(runOf(queue, [2], [1]), outage);
    expect(queue.reasonOf(2)).toBe("INFRASTRUCTURE_ERROR");
    expect(queue.testing).toEqual([1]);
    queue.passesTime(1);
    expect(queue.run(2).ahead).toEqual([1]);
  });

  test("of a hedge run's build delays no pull request", () => {
    const queue = lane({ concurrency: 3 }, 1);
    queue.built(1);
    queue.fails(1);
    const bet = [...queue.state.runs.values()].find(({ hedge }) => hedge);
    if (!bet) throw new Error("nothing was bet");
    queue.buildOfRunEnds(bet, outage);
    expect(queue.state.entries.get(1)?.retryAt).toBeNull();
    expect(queue.testing).toEqual([1]);
  });

  test("of a hedge run does not stop the retest of a pull request whose most likely run failed", () => {
    const queue = lane({ concurrency: 4 }, 1);
    queue.built(1);
    queue.fails(1);
    queue.submit(2);
    queue.built(2);
    queue.configure({ status: "draining" });
    queue.fails(2);
    const bet = runOf(queue, [2], [1]);
    expect(bet.hedge).toBeDefined();
    queue.runBuilt(bet);
    queue.runEnds(bet, "cancelled");
    expect(queue.stateOf(2)).toBe("pending_failure");
    queue.configure({ status: "running" });
    expect(queue.run(2)).toMatchObject({ ahead: [], state: "building" });
  });
});
