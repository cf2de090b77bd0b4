import { describe, expect, test } from "@jest/globals";
import { nextDeadline } from "../../src/engine/deadline.ts";
import { effectsOf } from "../../src/engine/model/effect.ts";
import { explain } from "../../src/engine/explain/explain.ts";
import { forecast } from "../../src/engine/explain/forecast.ts";
import type { QueueSettings } from "../../src/engine/model/settings.ts";
import { deserializeState, serializeState } from "../../src/engine/snapshot.ts";
import { TargetSet } from "../../src/engine/collections/target-set.ts";
import { QueueHarness } from "./queue-harness.ts";

const urgent = 0;
const minute = 60_000;

const everyWay: [string, Partial<QueueSettings>][] = [
  ["in one line", {}],
  ["in lanes", { mode: "parallel" }],
  ["in one adaptive line", { policy: "beliefs", batch: false }],
  ["in adaptive lanes", { policy: "beliefs", mode: "parallel" }],
];

/** A queue frozen for an hour, whose pull requests depend on each other. */
function frozen(settings: Partial<QueueSettings> = {}): QueueHarness {
  const queue = new QueueHarness({ concurrency: 4, ...settings });
  queue.targets = () => TargetSet.of([1]);
  queue.freezes(queue.now + 60 * minute);
  return queue;
}

function pass(queue: QueueHarness, ...prs: number[]): void {
  for (const pr of prs) {
    queue.built(pr);
    queue.passes(pr);
  }
}

const statesOf = (queue: QueueHarness, ...prs: number[]) => prs.map((pr) => queue.stateOf(pr));

describe.each(everyWay)("during a freeze, %s,", (_, settings) => {
  test("pull requests are tested and wait, and merge in order at its end without any other event", () => {
    const queue = frozen(settings);
    for (const pr of [1, 2]) {
      queue.submit(pr);
      pass(queue, pr);
    }
    expect(statesOf(queue, 1, 2)).toEqual(["tests_passed", "tests_passed"]);
    expect(queue.state.merge).toBeNull();
    queue.now = nextDeadline(queue.state) ?? 0;
    expect(queue.now).toBe(queue.state.freeze?.until);
    queue.take({ type: "clock" });
    const merged: number[] = [];
    while (queue.state.merge) {
      merged.push(...queue.state.merge.steps.map(({ pr }) => pr));
      queue.merges();
    }
    expect(merged).toEqual([1, 2]);
  });

  test("an urgent one goes before what has passed, and merges", () => {
    const queue = frozen(settings);
    queue.submit(1);
    pass(queue, 1);
    queue.submit(2, {}, urgent);
    expect(queue.run(2).ahead).toEqual([]);
    pass(queue, 2);
    expect(queue.state.merge?.steps.map(({ pr }) => pr)).toEqual([2]);
    expect(queue.storyOf(1)).toContain("tests_passed→pending INTERRUPTED_BY_URGENT");
  });

  test("one that becomes urgent behind what has passed goes before that, and merges", () => {
    const queue = frozen(settings);
    for (const pr of [1, 2]) {
      queue.submit(pr);
      pass(queue, pr);
    }
    queue.submit(2, {}, urgent);
    expect(queue.run(2).ahead).toEqual([]);
    pass(queue, 2);
    expect(queue.state.merge?.steps.map(({ pr }) => pr)).toEqual([2]);
  });
});

test("a merge that was ordered when a freeze began is called off", () => {
  const queue = new QueueHarness();
  queue.submit(1);
  pass(queue, 1);
  expect(queue.state.merge).not.toBeNull();
  queue.freezes(queue.now + minute);
  expect(queue.state.merge).toBeNull();
  queue.passesTime(1);
  expect(queue.state.merge?.steps.map(({ pr }) => pr)).toEqual([1]);
});

test("a merge that GitHub was asked for when a freeze began is carried out", () => {
  const queue = new QueueHarness();
  queue.submit(1);
  pass(queue, 1);
  queue.calls(1);
  queue.freezes(queue.now + minute);
  queue.merges();
  expect(queue.stateOf(1)).toBe("merged");
});

test("a merge that GitHub turned out not to have done is called off in a freeze", () => {
  const queue = new QueueHarness();
  queue.submit(1);
  pass(queue, 1);
  queue.calls(1);
  queue.freezes(queue.now + minute);
  queue.callFailed();
  expect(queue.state.merge).toBeNull();
});

test("the merge of an urgent pull request goes on when a freeze begins", () => {
  const queue = new QueueHarness();
  queue.submit(1, {}, urgent);
  pass(queue, 1);
  const { id } = queue.state.merge ?? {};
  queue.freezes(queue.now + minute);
  expect(queue.state.merge?.id).toBe(id);
});

test("in a freeze, only an urgent pull request merges without a test", () => {
  const queue = frozen({ directMergeMode: "always" });
  queue.submit(1);
  expect(queue.state.direct.size).toBe(0);
  expect(queue.testing).toEqual([1]);
  queue.cancel(1);
  queue.submit(2, {}, urgent);
  expect(queue.state.direct.size).toBe(1);
});

test("an urgent pull request leaves its batch, and what it conflicts with, in a freeze", () => {
  const queue = frozen({ batch: true, batchingMinSize: 2 });
  for (const pr of [1, 2]) queue.submit(pr);
  pass(queue, 1);
  queue.submit(2, {}, urgent);
  expect(queue.run(2).members).toEqual([2]);
  queue.cancel(1);
  queue.cancel(2);
  queue.submitAlone(3);
  queue.built(3);
  queue.submitAlone(4);
  queue.buildEnds(4, { kind: "conflict", pr: 4 });
  expect(queue.entryOf(4).heldBehind).toEqual([3]);
  queue.submit(4, {}, urgent);
  expect(queue.run(4).ahead).toEqual([]);
});

test("what fails on top of what is frozen is not tested again and again until the freeze ends", () => {
  const queue = frozen({ policy: "beliefs", batch: false, concurrency: 1 });
  for (const pr of [1, 2]) queue.submit(pr);
  pass(queue, 1);
  queue.built(2);
  queue.fails(2);
  expect(queue.stateOf(2)).toBe("pending_failure");
  expect(queue.testing).toEqual([]);
  queue.passesTime(60);
  queue.merges();
  expect(statesOf(queue, 1, 2)).toEqual(["merged", "failed"]);
});

test("what failed on top of what is frozen, and becomes urgent, is tested without that", () => {
  const queue = frozen({ policy: "beliefs", batch: false, concurrency: 1 });
  for (const pr of [1, 2]) queue.submit(pr);
  pass(queue, 1);
  queue.built(2);
  queue.fails(2);
  queue.submit(2, {}, urgent);
  expect(queue.run(2).ahead).toEqual([]);
});

test("a freeze that is lifted, or over, lets everything go on", () => {
  const queue = frozen();
  queue.submit(1);
  pass(queue, 1);
  queue.freezes(null);
  expect(queue.state.merge?.steps.map(({ pr }) => pr)).toEqual([1]);
  const events = queue.log.length;
  queue.freezes(queue.now);
  queue.freezes(null);
  expect(queue.log).toHaveLength(events);
});

test("every waiting pull request says why and until when, and shows it", () => {
  const queue = new QueueHarness({ concurrency: 1 });
  for (const pr of [1, 2]) queue.submit(pr);
  queue.submit(3, {}, urgent);
  queue.submit(4, { draft: true });
  queue.freezes(Date.UTC(2026, 0, 5, 12, 10));
  const codes = (pr: number) => explain(queue.state, queue.entryOf(pr), queue.now).map(({ code }) => code);
  expect(codes(1)).toContain("FROZEN");
  expect(codes(2)).toContain("FROZEN");
  expect(codes(3)).not.toContain("FROZEN");
  expect(codes(4)).toEqual(["DRAFT"]);
  const { data } = queue.log.findLast(({ data }) => data.type === "freeze_changed") ?? {};
  expect(data && effectsOf(data)).toEqual([1, 2].map((pr) => ({ type: "publish", pr })));
});

test("nothing is forecast to merge before a freeze ends, and what a freeze takes teaches nothing", () => {
  const queue = frozen();
  queue.submit(1);
  pass(queue, 1);
  expect(forecast(queue.state, queue.now).get(1)?.p50).toBeGreaterThan(59 * minute);
  queue.passesTime(60);
  queue.merges();
  expect(Math.max(...queue.state.history.lineErrors)).toBeLessThan(0.1);
});

test("a freeze outlasts a restart, and snapshots from before there were any are read", () => {
  const queue = frozen();
  const text = serializeState(queue.state);
  expect(deserializeState(text).freeze).toEqual(queue.state.freeze);
  const { freeze: _, ...older } = JSON.parse(text);
  expect(deserializeState(JSON.stringify(older)).freeze).toBeNull();
});
