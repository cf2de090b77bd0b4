import { expect, test } from "@jest/globals";
import { decide } from "../../src/engine/decide.ts";
import { fold } from "../../src/engine/evolve.ts";
import type { Event } from "../../src/engine/model/event.ts";
import { noQueue } from "../../src/engine/model/queue.ts";
import { runEngine } from "../../src/replay/engine-run/engine-run.ts";
import type { Decide } from "../../src/replay/engine-run/queue-driver.ts";
import { queueSettings } from "../../src/replay/engine-run/queue-settings.ts";
import { countEvents, tallyAt } from "../../src/service/runtime/count-events.ts";
import { sumOf } from "../../src/service/runtime/histogram.ts";
import {
  type LiveState,
  nothingCounted,
  type RecentCount,
  type RecentTime,
  type Tally,
} from "../../src/service/runtime/tally.ts";
import { generateWorkload } from "../../tools/simulator/workload/generate-workload.ts";
import { type PresetName, presets } from "../../tools/simulator/workload/model.ts";
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

/** Counts a log as commits do, which have events of one time each; or event by event, as after an upgrade. */
function count(log: readonly Event[], byCommit = true): Tally {
  let [state, tally] = [noQueue, nothingCounted];
  const commits = byCommit ? Map.groupBy(log, ({ at }) => at).values() : log.map((event) => [event]);
  for (const events of commits) {
    const after = fold(events, state);
    const stored = JSON.parse(JSON.stringify(tally)) as Tally;
    tally = countEvents(stored, state, events, after);
    state = after;
  }
  return tally;
}

const counted = (queue: QueueHarness) => count(queue.log);

/** The harness lets a second pass with each submission. */
const about = (seconds: number) => expect.closeTo(seconds, -1.6);

const recent = ({ recent: minutes }: Tally, what: RecentCount) =>
  minutes.reduce((sum, { counts }) => sum + (counts[what] ?? 0), 0);
const times = ({ recent: minutes }: Tally, what: RecentTime) =>
  sumOf(minutes.flatMap((minute) => minute.times[what] ?? []));
test("the tally counts every event once", () => {
  const tally = counted(busyQueue());
  expect(tally.transitions).toMatchObject({
    "testing tests_passed TESTS_PASSED": 1,
    "tests_passed merged MERGED_IN_ORDER": 1,
    "pending_failure failed CHECKS_FAILED": 1,
    "testing pending RESTARTED": 1,
  });
  for (const what of ["merged", "failed", "cancelled", "restart"] as const)
    expect(recent(tally, what)).toBe(1);
  expect(tally.inQueue.counts.reduce((sum, count) => sum + count)).toBe(3);
  expect(times(tally, "in_queue")).toEqual(tally.inQueue);
  expect(tally.inQueue.sum).toEqual(about(600 + 900 + 900));
  expect(tally.states).toEqual({ not_ready: 0, pending: 1, testing: 0, tests_passed: 0, pending_failure: 0 });
});

test("the tally measures the time of tests and of waiting", () => {
  const tally = counted(busyQueue());
  expect(times(tally, "test main").sum).toEqual(about(1_500));
  expect(tally.tests.main.sum).toEqual(about(1_500));
  // #1 and #2 for ten minutes, #2 for five more; #3 and #4 wait all the time.
  expect(tally.waited.ci).toEqual(about(1_200 + 300));
  expect(tally.waited.capacity).toEqual(about(2 * 900));
});

test("the tally counts the wait for tests once, although the tests begin again", () => {
  const queue = new QueueHarness({ concurrency: 1, policy: "fixed" });
  queue.submit(1);
  queue.passesTime(2);
  queue.built(1);
  queue.restart(1);
  queue.passesTime(4);
  queue.built(1);
  const waits = times(counted(queue), "wait");
  expect([waits.counts.reduce((sum, count) => sum + count), waits.sum]).toEqual([1, 120]);
});

test("the tally counts a conflict with a pull request ahead as waiting for predecessors, and an error as infrastructure", () => {
  const queue = new QueueHarness({ concurrency: 3, policy: "fixed" });
  for (const pr of [1, 2, 3]) queue.submit(pr);
  queue.built(1);
  queue.buildEnds(2, { kind: "conflict", pr: 2 });
  queue.buildEnds(3, { kind: "infrastructure_error", message: "no answer" });
  const { waiting } = counted(queue);
  expect(waiting).toMatchObject({ ci: 1, predecessors: 1, infrastructure: 1, capacity: 0 });
});

test("the tally counts the time in the queue from the first submission, although the place was lost", () => {
  const queue = new QueueHarness({ concurrency: 1, policy: "fixed", reviewGraceMinutes: 1 });
  queue.submit(1);
  const objection = { code: "CHANGES_REQUESTED", by: ["bob"] } as const;
  queue.observe(1, { objections: [objection] });
  queue.passesTime(10);
  queue.observe(1, { objections: [] });
  expect(queue.log.map(({ data }) => data.type === "entry_moved" && data.reason.code)).toContain(
    "PLACE_LOST",
  );
  queue.passesTime(1);
  queue.cancel(1);
  expect(counted(queue).inQueue.sum).toBe(660);
});

test.each<PresetName>(["github", "single", "wild"])(
  "the tally of a simulated queue (%s) agrees with its state, and is the same when it is counted with each event",
  (preset) => {
    const { model, mode } = presets[preset];
    const workload = generateWorkload({ ...model, hours: 3, rate: 20, seed: 3 });
    const log: Event[] = [];
    let tally = nothingCounted;
    const run: Decide = (state, input, context) => {
      const decided = decide(state, input, context);
      if (decided.events[0]?.seq !== log.length + 1) return decided;
      log.push(...decided.events);
      tally = countEvents(tally, state, decided.events, decided.state);
      const live = Map.groupBy(decided.state.entries.values(), (entry) => entry.state);
      const states = Object.keys(tally.states).map((name) => live.get(name as LiveState)?.length ?? 0);
      expect(Object.values(tally.states)).toEqual(states);
      expect(Object.values(tally.waiting).reduce((sum, count) => sum + count)).toBe(
        decided.state.entries.size,
      );
      return decided;
    };
    runEngine(workload, queueSettings(mode, workload.settings, {}), run);
    expect(log.length).toBeGreaterThan(300);
    expect(tally.restarted).toEqual([]);
    expect(JSON.stringify(tally).length).toBeLessThan(6_000);
    expect(count(log, false)).toEqual(tally);
  },
);

test("the tally includes the time since the last event", () => {
  const queue = new QueueHarness({ concurrency: 1, policy: "fixed" });
  queue.submit(1);
  queue.built(1);
  const tally = counted(queue);
  expect(tallyAt(tally, tally.at + 30 * minute).waited.ci).toBe(1_800);
  expect(tallyAt(tally, tally.at + 30 * minute).seq).toBe(tally.seq);
  expect(tally.waited.ci).toBe(0);
});

test("the tally counts an incomplete batch as waiting for the batch, not for a slot", () => {
  const queue = new QueueHarness({ concurrency: 1, batch: true, batchingMinSize: 3, policy: "fixed" });
  queue.submit(1);
  queue.passesTime(3);
  queue.submit(2);
  expect(counted(queue).waited).toMatchObject({ batch: about(180), capacity: 0 });
});
