import { describe, expect, test } from "@jest/globals";
import { explain } from "../../../src/engine/explain/explain.ts";
import { isActive, type TestRun } from "../../../src/engine/model/test-run.ts";
import { beliefsOf } from "../../../src/engine/policies/beliefs/belief-state.ts";
import type { QueueHarness } from "../queue-harness.ts";
import { line, runOf } from "../transitions/adaptive-queue.ts";

const byLoad = { batch: true, batchSizing: "by_load" } as const;
const four = { ...byLoad, concurrency: 4 };

function active({ state }: QueueHarness): TestRun[] {
  return [...state.runs.values()].filter(isActive);
}

/** The active runs, as their members and the pull requests that they are tested on. */
function tested(queue: QueueHarness): string[] {
  return active(queue).map(({ ahead, members }) => `${members.join("+")} on ${ahead.join("+") || "base"}`);
}

describe("a single-mode queue with a slot for every pull request", () => {
  test("tests every pull request at once, on top of those ahead", () => {
    const queue = line(four, 1, 2);
    expect(tested(queue)).toEqual(expect.arrayContaining(["1 on base", "2 on 1"]));
  });

  test("uses spare slots to test less likely outcomes", () => {
    const queue = line(four, 1, 2);
    expect(tested(queue)).toContain("2 on base");
  });

  test("takes the slot of an unlikely outcome for a new pull request", () => {
    const queue = line(four, 1, 2, 3);
    const unlikely = runOf(queue, [2], []);
    queue.submit(4);
    queue.passesTime(3);
    expect(tested(queue)).toContain("4 on 1+2+3");
    expect(queue.state.runs.has(unlikely.id)).toBe(false);
  });

  test("does not take the slot of a run that is nearly over", () => {
    const queue = line(four, 1);
    queue.built(1);
    queue.passesTime(20);
    queue.passes(1);
    queue.merges();
    for (const pr of [2, 3]) queue.submit(pr);
    const unlikely = runOf(queue, [3], []);
    queue.passesTime(19);
    for (const pr of [4, 5]) queue.submit(pr);
    expect(queue.state.runs.has(unlikely.id)).toBe(true);
  });
});

describe("a restarted pull request", () => {
  test("keeps its place, and those behind it are retested on top of it", () => {
    const queue = line({ ...byLoad, concurrency: 5 }, 1, 2, 3);
    queue.passesTime(4);
    for (const run of active(queue)) queue.runBuilt(run);
    const before = new Set(active(queue).map(({ id }) => id));
    expect(queue.restart(2)).toBeNull();
    const after = active(queue).filter(({ id }) => !before.has(id));
    expect(after.map(({ ahead, members }) => `${members.join()} on ${ahead.join("+")}`)).toEqual(
      expect.arrayContaining(["2 on 1", "3 on 1+2"]),
    );
    expect(beliefsOf(queue.state).blocks.map(({ members }) => members)).toEqual([[1], [2], [3]]);
    expect(queue.reasonOf(3)).toBe("AHEAD_RESTARTED");
  });
});

describe("a single-mode queue with more pull requests than slots", () => {
  /** #1 to #3 are tested in groups of one, #4 to #7 are tested as one group, and #8 and #9 wait. */
  function busy(): QueueHarness {
    const queue = line(four, 1, 2, 3, 4, 5, 6, 7);
    queue.passesTime(3);
    for (const pr of [8, 9]) queue.submit(pr);
    queue.passesTime(10);
    return queue;
  }

  test("tests pull requests that waited together as one group", () => {
    expect(tested(busy())).toEqual(["1 on base", "2 on 1", "3 on 1+2", "4+5+6+7 on 1+2+3"]);
  });

  test("keeps the remaining pull requests for the next group, and explains why", () => {
    const queue = busy();
    const [link] = explain(queue.state, queue.entryOf(9), queue.now);
    const text = "waits until one of the 4 groups in test is decided";
    expect(link).toMatchObject({ code: "BLOCK_FORMING", text });
  });

  test("puts pull requests of a higher priority first in the next group", () => {
    const queue = busy();
    queue.submit(10, {}, 50);
    queue.built(1);
    queue.passes(1);
    queue.merges();
    expect(tested(queue)).toContain("10+8+9 on 2+3+4+5+6+7");
  });

  test("tests the waiting pull requests once one ahead has merged", () => {
    const queue = busy();
    queue.built(1);
    queue.passes(1);
    queue.merges();
    expect(tested(queue)).toContain("8+9 on 2+3+4+5+6+7");
  });

  test("never has more active runs than its slots, even while it searches for a culprit", () => {
    const queue = line({ ...four, bisectionConcurrency: 4 }, 1, 2, 3, 4, 5, 6, 7, 8, 9);
    let most = 0;
    for (let step = 0; step < 60 && queue.state.entries.size > 0; step++) {
      most = Math.max(most, active(queue).length);
      const [run] = active(queue);
      if (!run) break;
      queue.runBuilt(run);
      queue.runEnds(run, run.members.includes(6) ? "failure" : "success");
      while (queue.state.merge) queue.merges();
      queue.passesTime(1);
    }
    expect(most).toBe(4);
    expect(queue.stateOf(6)).toBe("failed");
  });
});

describe("a group of pull requests that each passed by themselves", () => {
  test("is halved when it fails, and its members are not tested by themselves again", () => {
    const patient = { batch: true, batchingMinSize: 4, batchingMaxWaitTimeMinutes: 600, concurrency: 1 };
    const queue = line(patient, 1, 2, 3, 4);
    ends(queue, [1, 2, 3, 4], "failure");
    for (const pr of [1, 2, 3, 4]) ends(queue, [pr], "success");
    ends(queue, [1, 2], "failure");
    queue.passesTime(5);
    expect(tested(queue)).toEqual(["1 on base"]);
    expect(beliefsOf(queue.state).tracks.get(2)).toMatchObject({
      isolated: false,
      passedInIsolation: true,
      limit: 1,
    });
  });

  function ends(queue: QueueHarness, members: readonly number[], conclusion: "success" | "failure"): void {
    queue.passesTime(5);
    const run = runOf(queue, members, []);
    queue.runBuilt(run);
    queue.runEnds(run, conclusion);
  }
});
