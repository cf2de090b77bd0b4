import { describe, expect, test } from "@jest/globals";
import { mergeAll } from "../every-policy.ts";
import { lane, line, runOf } from "../transitions/adaptive-queue.ts";

describe("a base branch that moves from outside", () => {
  test.each([lane, line])("restarts every test on the new base, in the same order", (queueOf) => {
    const queue = queueOf({ concurrency: 2 }, 1, 2);
    queue.built(1, 2);
    queue.baseMovesTo("outside");
    expect([queue.reasonOf(1), queue.reasonOf(2)]).toEqual(["BASE_MOVED", "BASE_MOVED"]);
    expect(queue.run(1)).toMatchObject({ base: "outside", ahead: [], state: "building" });
    expect(queue.run(2)).toMatchObject({ base: "outside", ahead: [1], state: "building" });
  });

  test.each([lane, line])("stops a merge under way, and its pull request is tested again", (queueOf) => {
    const queue = queueOf({ concurrency: 2 }, 1, 2);
    queue.built(1, 2);
    queue.passes(1);
    queue.mergeStops({ kind: "base_moved", actual: "outside" });
    expect(queue.storyOf(1).at(-1)).toBe("tests_passed→pending BASE_MOVED");
    expect(queue.run(1)).toMatchObject({ base: "outside", ahead: [] });
    expect(queue.run(2)).toMatchObject({ base: "outside", ahead: [1] });
  });
});

describe("a mode change", () => {
  test("takes effect once everything that has passed has merged, which a paused queue does when it is resumed", () => {
    const queue = lane({}, 1, 2);
    queue.built(1);
    queue.fails(1);
    queue.configure({ status: "paused" });
    queue.configure({ mode: "single" });
    queue.built(1);
    queue.passes(1);
    expect(queue.state.settings.mode).toBe("parallel");
    const last = runOf(queue, [2], []);
    queue.runBuilt(last);
    queue.runEnds(last, "success");
    expect([queue.state.settings.mode, queue.state.status]).toEqual(["parallel", "switching_modes"]);
    queue.configure({ status: "running" });
    mergeAll(queue);
    expect([queue.state.settings.mode, queue.state.status]).toEqual(["single", "running"]);
    expect([queue.stateOf(1), queue.stateOf(2)]).toEqual(["merged", "pending"]);
    expect(queue.run(2).block).toBeDefined();
  });
});
