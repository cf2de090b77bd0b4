import { expect, test } from "@jest/globals";
import { countEvents, statisticsAt } from "../../src/service/metrics/fold-statistics.ts";
import {
  deserializeStatistics,
  nothingCounted,
  type QueueStatistics,
  serializeStatistics,
} from "../../src/service/metrics/queue-statistics.ts";
import { QueueHarness } from "../engine/queue-harness.ts";

const minute = 60_000;

/** A queue with two slots: #1 passes after ten minutes and merges, #2 fails, #3 waits for a slot and is restarted, #4 is cancelled. */
function busyQueue(): QueueHarness {
  const queue = new QueueHarness({ concurrency: 2, policy: "fixed" });
  for (const pr of [1, 2, 3, 4]) queue.submit(pr);
  queue.built(1, 2);
  queue.passesTime(10);
  queue.passes(1);
  queue.merges();
  queue.passesTime(5);
  queue.fails(2);
  queue.built(3);
  queue.restart(3);
  queue.cancel(4);
  return queue;
}

const counted = (queue: QueueHarness) => countEvents(nothingCounted, queue.log);

/** The harness lets a second pass with each submission. */
const about = (seconds: number) => expect.closeTo(seconds, -1.6);

function recent({ recent: values }: QueueStatistics, what: string): number[] {
  return values.filter((value) => value.what === what).map(({ seconds }) => seconds);
}

test("the tally counts every event once", () => {
  const tally = counted(busyQueue());
  expect(Object.fromEntries(tally.transitions)).toMatchObject({
    "testing tests_passed TESTS_PASSED": 1,
    "tests_passed merged MERGED_IN_ORDER": 1,
    "pending_failure failed CHECKS_FAILED": 1,
    "testing pending RESTARTED": 1,
  });
  expect(recent(tally, "merged")).toHaveLength(1);
  expect(recent(tally, "failed")).toHaveLength(1);
  expect(recent(tally, "cancelled")).toHaveLength(1);
  expect(recent(tally, "restart")).toHaveLength(1);
  expect(tally.inQueue.counts.reduce((sum, count) => sum + count)).toBe(3);
  expect(recent(tally, "in_queue")).toEqual([about(600), about(900), about(900)]);
});

test("the tally measures the time of tests and of waiting", () => {
  const tally = counted(busyQueue());
  expect(recent(tally, "test")).toEqual([about(600), about(900)]);
  expect(tally.tests.main.sum).toEqual(about(1_500));
  // #1 and #2 for ten minutes, #2 for five more; #3 and #4 wait all the time.
  expect(tally.waited.ci).toEqual(about(1_200 + 300));
  expect(tally.waited.capacity).toEqual(about(2 * 900));
});

test("the tally is the same when it is counted in pieces and stored in between", () => {
  const { log } = busyQueue();
  const whole = serializeStatistics(countEvents(nothingCounted, log));
  for (let cut = 0; cut <= log.length; cut++) {
    const kept = deserializeStatistics(serializeStatistics(countEvents(nothingCounted, log.slice(0, cut))));
    expect(serializeStatistics(countEvents(kept, log.slice(cut)))).toBe(whole);
  }
});

test("the tally includes the time since the last event", () => {
  const queue = new QueueHarness({ concurrency: 1, policy: "fixed" });
  queue.submit(1);
  queue.built(1);
  const tally = counted(queue);
  expect(statisticsAt(tally, tally.at + 30 * minute).waited.ci).toBe(1_800);
  expect(statisticsAt(tally, tally.at + 30 * minute).seq).toBe(tally.seq);
  expect(tally.waited.ci).toBe(0);
});

test("the tally counts an incomplete batch as waiting for the batch, not for a slot", () => {
  const queue = new QueueHarness({ concurrency: 1, batch: true, batchingMinSize: 3, policy: "fixed" });
  queue.submit(1);
  queue.passesTime(3);
  queue.submit(2);
  expect(counted(queue).waited).toMatchObject({ batch: about(180), capacity: 0 });
});
