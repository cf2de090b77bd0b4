import { describe, expect, test } from "@jest/globals";
import { deserializeState, serializeState } from "../../src/engine/snapshot.ts";
import { QueueHarness } from "./queue-harness.ts";

describe("the strategy of a queue with the policy adaptive", () => {
  test.each([
    ["line", { concurrency: 15, mode: "parallel" }],
    ["beliefs", { concurrency: 16, mode: "parallel" }],
    ["line", { concurrency: 16, mode: "single" }],
    ["line", { concurrency: 16, mode: "single", batch: true }],
    ["line", { concurrency: 2, mode: "single", batch: true, batchSizing: "by_load" }],
    ["beliefs", { concurrency: 3, mode: "single", batch: true, batchSizing: "by_load" }],
    ["line", { concurrency: 3, mode: "single", batch: true, batchSizing: "by_load", pendingFailureDepth: 1 }],
  ] as const)("is %s with %j", (strategy, settings) => {
    expect(new QueueHarness({ policy: "adaptive", ...settings }).state.strategy).toBe(strategy);
  });

  test("changes with the number of slots, once no test is under way", () => {
    const queue = new QueueHarness({ policy: "adaptive", mode: "parallel", concurrency: 4 });
    queue.targets = () => "ALL";
    queue.submit(1);
    queue.configure({ concurrency: 32 });
    expect(queue.state.strategy).toBe("line");
    queue.built(1);
    queue.passes(1);
    queue.merges();
    expect(queue.state.strategy).toBe("beliefs");
    queue.configure({ concurrency: 4 });
    expect(queue.state.strategy).toBe("line");
  });

  test("is kept by a policy change that needs no other strategy, and the queue keeps running", () => {
    const queue = new QueueHarness({ policy: "fixed", concurrency: 4 });
    queue.submit(1);
    queue.configure({ policy: "adaptive" });
    expect(queue.state).toMatchObject({
      status: "running",
      strategy: "line",
      settings: { policy: "adaptive" },
    });
  });
});

test("a snapshot contains the strategy of its queue", () => {
  for (const policy of ["fixed", "beliefs"] as const) {
    const { state } = new QueueHarness({ policy });
    expect(deserializeState(serializeState(state)).strategy).toBe(state.strategy);
  }
});
