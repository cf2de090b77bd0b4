import { expect, test } from "@jest/globals";
import { TargetSet } from "../../../src/engine/collections/target-set.ts";
import { lane } from "../transitions/adaptive-queue.ts";

const urgent = 0;

test("an urgent pull request takes the slot of the run that it interrupts, however uncertain those ahead are", () => {
  const queue = lane({ concurrency: 11 });
  const ahead = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
  const targets: Record<number, number[]> = { 20: [2], 21: [1, 2], 22: [3], 23: [4] };
  queue.targets = (pr) => TargetSet.of(targets[pr] ?? [1]);
  for (const pr of ahead) queue.submit(pr, {}, urgent);
  for (const pr of [20, 22, 23]) queue.submit(pr);
  queue.built(20);
  const eventsBefore = queue.log.length;
  queue.submit(21, {}, urgent);
  expect(queue.reasonOf(20)).toBe("INTERRUPTED_BY_URGENT");
  expect(queue.run(21)).toMatchObject({ ahead, members: [21] });
  expect(queue.state.waiting.size).toBe(3);
  expect(queue.log.length - eventsBefore).toBeLessThan(10);
});
