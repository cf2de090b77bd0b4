import { describe, expect, test } from "@jest/globals";
import { fold } from "../../src/engine/evolve.ts";
import { noQueue } from "../../src/engine/model/queue.ts";
import { parseSnapshot, restoreState, serializeState } from "../../src/engine/snapshot.ts";
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

describe("a queue from before strategies existed", () => {
  test("uses the strategy beliefs with the policy adaptive until no test is under way", () => {
    const queue = new QueueHarness({ policy: "adaptive", mode: "parallel", concurrency: 4 });
    const old = queue.log.filter(({ data }) => data.type !== "strategy_chosen");
    expect(fold(old, noQueue).strategy).toBe("beliefs");
    queue.state = fold(old, noQueue);
    queue.submit(1);
    expect(queue.state.strategy).toBe("line");
  });

  test("gets the strategy beliefs for the policy beliefs from a snapshot without a strategy", () => {
    const { state } = new QueueHarness({ policy: "beliefs" });
    const { strategy: _, ...old } = parseSnapshot(serializeState(state));
    expect(restoreState(old as ReturnType<typeof parseSnapshot>, new Map()).strategy).toBe("beliefs");
  });
});
