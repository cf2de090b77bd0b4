import { describe, expect, test } from "@jest/globals";
import { Decision } from "../../src/engine/decision.ts";
import { evolve, fold } from "../../src/engine/evolve.ts";
import { effectsOf } from "../../src/engine/model/effect.ts";
import type { Event, EventData } from "../../src/engine/model/event.ts";
import { renderObstacle } from "../../src/engine/model/merge-attempt.ts";
import { baseTip, noQueue } from "../../src/engine/model/queue.ts";
import { renderRefusal } from "../../src/engine/model/refusal.ts";
import { policyOf } from "../../src/engine/policies/policy-of.ts";
import { renderProof } from "../../src/engine/reasons/render-reason.ts";
import { QueueHarness } from "./queue-harness.ts";

function queueOfOne(): QueueHarness {
  const queue = new QueueHarness();
  queue.submit(1);
  return queue;
}

function next(queue: QueueHarness, data: EventData): Event {
  return { seq: queue.state.seq + 1, at: queue.now, data };
}

describe("an event log", () => {
  test("is rejected for an event out of sequence", () => {
    const queue = queueOfOne();
    const event = next(queue, { type: "entry_due", pr: 1 });
    expect(() => evolve(queue.state, { ...event, seq: event.seq + 1 })).toThrow(
      `queue queue is at event ${queue.state.seq} and cannot take event ${event.seq + 1}`,
    );
    expect(() => fold(queue.log.slice(1))).toThrow("cannot take event 2");
  });

  test.each<[string, EventData, string]>([
    ["an entry", { type: "entry_due", pr: 9 }, "#9 is not in queue queue"],
    ["a run", { type: "run_checked", runId: "gone", checks: [] }, "run gone is not in queue queue"],
    [
      "a bisection",
      {
        type: "bisection_narrowed",
        bisectionId: "gone",
        green: 0,
        greenRunId: null,
        red: 1,
        redRunId: null,
        failure: { code: "READY" },
      },
      "bisection gone is not in queue queue",
    ],
    ["a kind of event", { type: "newer" } as never, 'unexpected value: {"type":"newer"}'],
  ])("is rejected when it refers to %s that does not exist", (_what, data, problem) => {
    const queue = queueOfOne();
    expect(() => evolve(queue.state, next(queue, data))).toThrow(problem);
  });

  test("may end a bisection that does not exist any more", () => {
    const queue = queueOfOne();
    const ended = evolve(queue.state, next(queue, { type: "bisection_ended", bisectionId: "gone" }));
    expect({ ...ended, seq: 0 }).toEqual({ ...queue.state, seq: 0 });
  });
});

describe("a decision", () => {
  const begin = () => {
    const queue = queueOfOne();
    return new Decision(queue.state, { now: queue.now, newId: () => "id" }, policyOf);
  };

  test("cannot refuse after it recorded events", () => {
    const decision = begin();
    decision.record({ type: "entry_released", pr: 1 });
    expect(() => decision.refuse({ code: "SWITCHING_MODES" })).toThrow(
      "refused SWITCHING_MODES after recording events",
    );
  });

  test("cannot make a transition that is not in the table", () => {
    const decision = begin();
    expect(() => decision.move(decision.entry(1), "merged", { code: "READY" })).toThrow(
      "#1: no arrow from pending to merged for READY",
    );
  });

  test("cannot read an entry that does not exist", () => {
    expect(() => begin().entry(9)).toThrow("#9 is not in queue queue");
  });
});

describe("an unknown kind", () => {
  const tested = () => {
    const queue = queueOfOne();
    queue.built(1);
    queue.passes(1);
    return queue;
  };

  test.each<[string, () => unknown]>([
    ["of input", () => queueOfOne().take({ type: "newer" } as never)],
    ["of a build's outcome", () => queueOfOne().buildEnds(1, { kind: "newer" } as never)],
    ["of a merge's stop", () => tested().mergeStops({ kind: "newer" } as never)],
    ["of event", () => effectsOf({ type: "newer" } as never)],
    ["of obstacle", () => renderObstacle("newer" as never)],
    ["of proof", () => renderProof("newer" as never)],
    ["of refusal", () => renderRefusal({ code: "newer" } as never)],
  ])("%s is an error", (_what, act) => {
    expect(act).toThrow(/^unexpected value: /);
  });
});

test("a queue can be created only once, and has no base before that", () => {
  const queue = queueOfOne();
  expect(baseTip(noQueue)).toBeNull();
  const refusal = queue.take({
    type: "create_queue",
    queueId: "another",
    repo: { host: "github.com", owner: "acme", name: "widgets" },
    branch: "main",
    settings: queue.state.settings,
    baseSha: "base-0",
    actor: { kind: "user", name: "alice" },
  });
  expect(refusal).toEqual({ code: "QUEUE_EXISTS", branch: "main" });
});
