import { describe, expect, test } from "@jest/globals";
import { nextDeadline, timingOut } from "../../src/engine/deadline.ts";
import { fold } from "../../src/engine/evolve.ts";
import { explain, explainStall } from "../../src/engine/explain/explain.ts";
import { forecast } from "../../src/engine/forecast/forecast.ts";
import type { QueueSettings } from "../../src/engine/model/settings.ts";
import { deserializeState, serializeState } from "../../src/engine/snapshot.ts";
import { QueueHarness } from "./queue-harness.ts";

const minute = 60_000;

/** A queue in which twenty tests took ten minutes each, so that it may merge nothing for twenty. */
function experienced(settings: Partial<QueueSettings> = {}): QueueHarness {
  const queue = new QueueHarness({ concurrency: 2, ...settings });
  for (let pr = 1_001; pr <= 1_020; pr++) {
    queue.submit(pr);
    queue.built(pr);
    queue.passesTime(10);
    queue.passes(pr);
    queue.merges();
  }
  return queue;
}

/** An experienced queue in which the tests of #1 and #2 never end. */
function hanging(settings: Partial<QueueSettings> = {}): QueueHarness {
  const queue = experienced(settings);
  for (const pr of [1, 2]) {
    queue.submit(pr);
    queue.built(pr);
  }
  return queue;
}

const wait = (
  queue: QueueHarness,
  code: "GITHUB_UNAVAILABLE" | "GITHUB_BUSY" | "INTERNAL_ERROR",
  minutes: number,
) =>
  queue.take({
    type: "work_postponed",
    work: "merge",
    id: queue.state.merge?.id ?? "",
    wait: { code, message: "down", until: queue.now + minutes * minute },
  });

/** For a number of hours, somebody else pushes to the base every nine minutes, so that all tests start again. */
function pushesOutside(queue: QueueHarness, hours: number): void {
  const end = queue.now + hours * 60 * minute;
  for (let push = 1; queue.now < end; push++) {
    for (const { state, members } of queue.state.runs.values())
      if (state === "building") queue.built(members[0]);
    passUntil(queue, queue.now + 9 * minute);
    queue.baseMovesTo(`outside-${push}`);
  }
}

/** What happens in a queue, and the minute in which it raises the alarm; null = not within five hours. */
const situations: readonly [what: string, alarm: number | null, queue: () => QueueHarness][] = [
  ["no pull request waits", null, () => experienced()],
  [
    "a pull request waits that is not ready",
    null,
    () => {
      const queue = experienced();
      queue.submit(1, { draft: true });
      return queue;
    },
  ],
  ["the first test does not end", 20, hanging],
  [
    "the first test does not end, where most tests are skipped within seconds and the others took 20 minutes",
    150,
    () => {
      const queue = new QueueHarness({ concurrency: 2 });
      for (let pr = 1_001; pr <= 1_020; pr++) {
        queue.submit(pr);
        queue.built(pr);
        queue.passesTime(pr % 4 === 0 ? 20 : 0.1);
        queue.passes(pr);
        queue.merges();
      }
      queue.submit(1);
      queue.built(1);
      return queue;
    },
  ],
  [
    "the first test of a new queue does not end",
    60,
    () => {
      const queue = new QueueHarness();
      queue.submit(1);
      queue.built(1);
      return queue;
    },
  ],
  [
    "the first test does not end, and those behind it fail",
    20,
    () => {
      const queue = hanging();
      queue.fails(2);
      return queue;
    },
  ],
  [
    "the first test does not end, and others are submitted and cancelled",
    20,
    () => {
      const queue = hanging();
      queue.passesTime(19);
      queue.submit(3);
      queue.cancel(2);
      queue.now -= 19 * minute;
      return queue;
    },
  ],
  [
    "the first test has failed and is repeated",
    30,
    () => {
      const queue = experienced({ policy: "adaptive", concurrency: 1 });
      queue.submit(1);
      queue.failsOnce(1);
      queue.built(1);
      return queue;
    },
  ],
  [
    "a batch may still fill",
    35,
    () => {
      const queue = experienced();
      queue.configure({ batch: true, batchingMinSize: 2, batchingMaxWaitTimeMinutes: 15 });
      queue.submit(1);
      return queue;
    },
  ],
  [
    "somebody pushes to the base once",
    30,
    () => {
      const queue = hanging();
      queue.baseMovesTo("outside");
      queue.built(1);
      return queue;
    },
  ],
  [
    "somebody pushes to the base when the first has passed",
    30,
    () => {
      const queue = experienced({ concurrency: 1 });
      queue.submit(1);
      queue.built(1);
      queue.passes(1);
      queue.mergeStops({ kind: "base_moved", actual: "outside" });
      queue.built(1);
      return queue;
    },
  ],
  [
    "a merge does not end",
    20,
    () => {
      const queue = experienced();
      queue.submit(1);
      queue.built(1);
      queue.passes(1);
      return queue;
    },
  ],
  [
    "GitHub does not answer to a merge for half an hour",
    50,
    () => {
      const queue = experienced();
      queue.submit(1);
      queue.built(1);
      queue.passes(1);
      wait(queue, "GITHUB_UNAVAILABLE", 30);
      return queue;
    },
  ],
  [
    "GitHub is not ready for a merge for half an hour",
    20,
    () => {
      const queue = experienced();
      queue.submit(1);
      queue.built(1);
      queue.passes(1);
      wait(queue, "GITHUB_BUSY", 30);
      return queue;
    },
  ],
  [
    "a merge fails with an error of our own",
    5,
    () => {
      const queue = experienced();
      queue.submit(1);
      queue.built(1);
      queue.passes(1);
      wait(queue, "INTERNAL_ERROR", 300);
      return queue;
    },
  ],
  [
    "the queue is paused",
    null,
    () => {
      const queue = hanging();
      queue.configure({ status: "paused" });
      return queue;
    },
  ],
  [
    "an obstacle stops the queue",
    null,
    () => {
      const queue = hanging();
      queue.take({ type: "reach_observed", obstacle: { code: "APP_UNINSTALLED", owner: "acme" } });
      return queue;
    },
  ],
  [
    "the queue is draining, and the last test does not end",
    20,
    () => {
      const queue = hanging();
      queue.configure({ status: "draining" });
      return queue;
    },
  ],
  [
    "the queue is draining, and nothing is in test",
    null,
    () => {
      const queue = experienced();
      queue.configure({ status: "draining" });
      queue.submit(1);
      return queue;
    },
  ],
  [
    "merges are frozen",
    null,
    () => {
      const queue = hanging();
      queue.freezes(queue.now + 24 * 60 * minute);
      return queue;
    },
  ],
];

/** Lets time pass as the service does: the queue is told the time when it has asked for it. */
function passUntil(queue: QueueHarness, end: number): void {
  for (let due = nextDeadline(queue.state); due !== null && due <= end; due = nextDeadline(queue.state)) {
    queue.now = Math.max(queue.now, due);
    const before = queue.log.length;
    queue.take({ type: "clock" });
    if (queue.log.length === before) throw new Error("a deadline passed, and nothing came of it");
  }
  queue.now = end;
}

describe("the alarm that nothing merges", () => {
  test.each(situations)("if %s: %p", (_what, minutes, make) => {
    const queue = make();
    const began = queue.now;
    passUntil(queue, began + 240 * minute);
    const raised = queue.log.find(({ data }) => data.type === "stall_changed" && data.stall !== null);
    const after = raised ? (raised.at - began) / minute : null;
    if (minutes === null) expect(after).toBeNull();
    else expect(after).toBeCloseTo(minutes, 0);
  });

  test("names the first pull request and why it waits, and no forecast is made meanwhile", () => {
    const queue = hanging();
    expect(forecast(queue.state, queue.now).size).toBe(2);
    passUntil(queue, queue.now + 25 * minute);
    expect(explainStall(queue.state, queue.now)).toMatchObject({
      pr: 1,
      cause: { code: "WAITING_FOR_CHECKS", text: "waiting for build" },
    });
    expect(forecast(queue.state, queue.now).size).toBe(0);
    const [first, second] = [1, 2].map((pr) => explain(queue.state, queue.entryOf(pr), queue.now));
    expect(first?.map(({ code }) => code)).toEqual(["NOTHING_MERGES", "WAITING_FOR_CHECKS"]);
    expect(second?.[0]).toMatchObject({ code: "NOTHING_MERGES", refs: ["#1"] });
  });

  test("ends with a merge, and is raised again if nothing merges after that", () => {
    const queue = hanging();
    passUntil(queue, queue.now + 25 * minute);
    queue.passes(1);
    expect(queue.state.stall).not.toBeNull();
    queue.merges();
    expect(queue.state.stall).toBeNull();
    expect(forecast(queue.state, queue.now).has(2)).toBe(true);
    passUntil(queue, queue.now + 60 * minute);
    expect(queue.state.stall).toMatchObject({ pr: 2 });
  });

  test("is raised although others push to the base all the time, and no push ends it", () => {
    const queue = experienced();
    queue.submit(1);
    const began = queue.now;
    pushesOutside(queue, 5);
    const changes = queue.log.filter(({ data }) => data.type === "stall_changed");
    expect(changes.map(({ at }) => (at - began) / minute)).toEqual([80]);
    expect(queue.state.stall).toMatchObject({ since: began, pr: 1 });
  });

  test("does not end when the queue begins to drain", () => {
    const queue = hanging();
    passUntil(queue, queue.now + 25 * minute);
    const { stall } = queue.state;
    queue.configure({ status: "draining" });
    expect(queue.state.stall).toEqual(stall);
  });

  test.each<[string, (queue: QueueHarness) => unknown]>([
    ["paused", (queue) => queue.configure({ status: "paused" })],
    ["frozen", (queue) => queue.freezes(queue.now + 60 * minute)],
    ["emptied", (queue) => [1, 2].map((pr) => queue.cancel(pr))],
  ])("ends when the queue is %s", (_how, act) => {
    const queue = hanging();
    passUntil(queue, queue.now + 25 * minute);
    act(queue);
    expect(queue.state.stall).toBeNull();
  });

  test("asks for the present result of the test that it would name before it is raised", () => {
    const queue = hanging();
    queue.now += 20 * minute;
    expect(timingOut(queue.state, queue.now - minute).blocker).toBeNull();
    expect(timingOut(queue.state, queue.now).blocker).toBe(1);
  });

  test("waits two minutes for the merge of a pull request that has just passed", () => {
    const queue = hanging();
    queue.now += 20 * minute;
    queue.passes(1);
    queue.passesTime(1);
    expect(queue.state.stall).toBeNull();
    queue.passesTime(1);
    expect(queue.state.stall).toMatchObject({ pr: 1 });
  });

  test("names a lasting error of a build within minutes, and ends when the build succeeds", () => {
    const queue = experienced({ concurrency: 1 });
    queue.submit(1);
    for (let attempt = 1; attempt <= 5; attempt++) {
      queue.buildEnds(1, { kind: "infrastructure_error", message: "Reference already exists" });
      passUntil(queue, queue.now + minute);
    }
    passUntil(queue, queue.now + minute);
    expect(explainStall(queue.state, queue.now)).toMatchObject({
      pr: 1,
      cause: {
        text: "its test commit is being built. The last attempt failed: Reference already exists",
      },
    });
    passUntil(queue, queue.now + minute);
    queue.built(1);
    expect(queue.state.stall).toBeNull();
  });

  test("is the same from a log and from a snapshot; from a snapshot without it, measuring begins again", () => {
    const queue = hanging();
    passUntil(queue, queue.now + 25 * minute);
    expect(serializeState(fold(queue.log))).toBe(serializeState(queue.state));
    const text = serializeState(queue.state);
    expect(deserializeState(text).stall).toEqual(queue.state.stall);
    const { lull: _lull, stall: _stall, ...old } = JSON.parse(text);
    queue.state = deserializeState(JSON.stringify(old));
    expect(nextDeadline(queue.state)).toBeGreaterThan(queue.now);
    queue.submit(3);
    passUntil(queue, queue.now + 25 * minute);
    expect(queue.state.stall).toMatchObject({ pr: 1 });
  });
});
