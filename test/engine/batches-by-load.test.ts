import { describe, expect, test } from "@jest/globals";
import { TargetSet } from "../../src/engine/collections/target-set.ts";
import type { QueueSettings } from "../../src/engine/model/settings.ts";
import { QueueHarness } from "./queue-harness.ts";

function queueOf(settings: Partial<QueueSettings> = {}): QueueHarness {
  return new QueueHarness({ batch: true, batchSizing: "by_load", batchingMinSize: 4, ...settings });
}

describe("a batch sized by load", () => {
  test("starts with a single pull request while a slot is free", () => {
    const queue = queueOf({ concurrency: 2 });
    queue.submit(1);
    queue.submit(2);
    expect(queue.testing).toEqual([1, 2]);
    expect(queue.run(1)).not.toBe(queue.run(2));
  });

  test("contains the pull requests that waited for the slot", () => {
    const queue = queueOf();
    for (const pr of [1, 2, 3, 4]) queue.submit(pr);
    queue.built(1);
    queue.passes(1);
    expect(queue.run(2).members).toEqual([2, 3, 4]);
  });

  test("is no larger than a batch that is likely to pass", () => {
    const queue = queueOf();
    for (let pr = 1; pr <= 40; pr++) queue.submit(pr);
    queue.built(1);
    queue.passes(1);
    const { length } = queue.run(2).members;
    expect(length).toBeGreaterThan(3);
    expect(length).toBeLessThan(13);
  });

  test("becomes smaller as more pull requests fail", () => {
    const queue = queueOf();
    for (let pr = 1; pr <= 60; pr++) queue.submitAlone(pr);
    for (let pr = 1; pr <= 30; pr++) {
      queue.built(pr);
      queue.fails(pr);
    }
    for (let pr = 101; pr <= 120; pr++) queue.submit(pr);
    for (let pr = 31; pr <= 60; pr++) {
      queue.built(pr);
      queue.fails(pr);
    }
    expect(queue.run(101).members).toEqual([101]);
  });

  test("is not formed in single mode with many slots, where its failure would cost more than it saves", () => {
    const queue = queueOf({ concurrency: 8 });
    for (let pr = 1; pr <= 40; pr++) queue.submit(pr);
    queue.built(1);
    queue.passes(1);
    queue.merges();
    expect(queue.run(9).members).toEqual([9]);
  });

  test("can contain independent pull requests in parallel mode", () => {
    const queue = queueOf({ mode: "parallel" });
    queue.targets = (pr) => TargetSet.of([pr]);
    for (const pr of [1, 2, 3]) queue.submit(pr);
    queue.built(1);
    queue.passes(1);
    expect(queue.run(2).members).toEqual([2, 3]);
  });
});
