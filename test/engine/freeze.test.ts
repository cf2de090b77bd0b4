import { describe, expect, test } from "@jest/globals";
import { nextDeadline } from "../../src/engine/deadline.ts";
import { explain } from "../../src/engine/explain/explain.ts";
import { forecast } from "../../src/engine/forecast/forecast.ts";
import { effectsOf } from "../../src/engine/model/effect.ts";
import type { QueueSettings } from "../../src/engine/model/settings.ts";
import { deserializeState, serializeState } from "../../src/engine/snapshot.ts";
import { everyPolicy, linePolicies, type PolicyUnderTest, queueUnder } from "./every-policy.ts";
import type { QueueHarness } from "./queue-harness.ts";

const urgent = 0;
const minute = 60_000;

const beliefsInBlocks: PolicyUnderTest = {
  name: "beliefs",
  settings: { policy: "beliefs" },
  order: "blocks",
  evictsAtOnce: true,
};

/** A queue frozen for an hour, whose pull requests depend on each other. */
function frozen(policy: PolicyUnderTest, settings: Partial<QueueSettings> = {}): QueueHarness {
  const queue = queueUnder(policy, { concurrency: 4, ...settings });
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

describe.each(everyPolicy)("with the policy $name, a freeze", (policy) => {
  test("lets pull requests be tested, and merges them in order when it ends, without any other event", () => {
    const queue = frozen(policy);
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

  test("lets an urgent pull request overtake those that have passed, and merge", () => {
    const queue = frozen(policy);
    queue.submit(1);
    pass(queue, 1);
    queue.submit(2, {}, urgent);
    expect(queue.run(2).ahead).toEqual([]);
    pass(queue, 2);
    expect(queue.state.merge?.steps.map(({ pr }) => pr)).toEqual([2]);
    expect(queue.storyOf(1)).toContain("tests_passed→pending INTERRUPTED_BY_URGENT");
  });

  test("lets a pull request that becomes urgent overtake those that have passed, and merge", () => {
    const queue = frozen(policy);
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

test.each(everyPolicy)(
  "with the policy $name, a freeze calls off a merge that is only ordered, until the freeze ends",
  (policy) => {
    const queue = queueUnder(policy);
    queue.submit(1);
    pass(queue, 1);
    expect(queue.state.merge).not.toBeNull();
    queue.freezes(queue.now + minute);
    expect(queue.state.merge).toBeNull();
    queue.passesTime(1);
    expect(queue.state.merge?.steps.map(({ pr }) => pr)).toEqual([1]);
  },
);

test.each(everyPolicy)(
  "with the policy $name, a freeze does not stop a merge that GitHub has been asked for",
  (policy) => {
    const queue = queueUnder(policy);
    queue.submit(1);
    pass(queue, 1);
    queue.calls(1);
    queue.freezes(queue.now + minute);
    queue.merges();
    expect(queue.stateOf(1)).toBe("merged");
  },
);

test.each(everyPolicy)(
  "with the policy $name, a freeze calls off a merge that GitHub was asked for but did not do",
  (policy) => {
    const queue = queueUnder(policy);
    queue.submit(1);
    pass(queue, 1);
    queue.calls(1);
    queue.freezes(queue.now + minute);
    queue.callFailed();
    expect(queue.state.merge).toBeNull();
  },
);

test.each(everyPolicy)(
  "with the policy $name, a freeze does not stop the merge of an urgent pull request",
  (policy) => {
    const queue = queueUnder(policy);
    queue.submit(1, {}, urgent);
    pass(queue, 1);
    const { id } = queue.state.merge ?? {};
    queue.freezes(queue.now + minute);
    expect(queue.state.merge?.id).toBe(id);
  },
);

test.each(everyPolicy)(
  "with the policy $name, a freeze allows direct merges only for urgent pull requests",
  (policy) => {
    const queue = frozen(policy, { directMergeMode: "always" });
    queue.submit(1);
    expect(queue.state.direct.size).toBe(0);
    expect(queue.testing).toEqual([1]);
    queue.cancel(1);
    queue.submit(2, {}, urgent);
    expect(queue.state.direct.size).toBe(1);
  },
);

test.each(linePolicies)(
  "with the policy $name, a pull request that becomes urgent during a freeze is tested without its batch and without a conflicting pull request ahead",
  (policy) => {
    const queue = frozen(policy, { batch: true, batchingMinSize: 2 });
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
  },
);

test("with beliefs in one line, a pull request that fails behind a frozen one is not retested until the freeze ends", () => {
  const queue = frozen(beliefsInBlocks, { concurrency: 1 });
  for (const pr of [1, 2]) queue.submit(pr);
  pass(queue, 1);
  queue.built(2);
  queue.fails(2);
  expect(queue.stateOf(2)).toBe("pending_failure");
  expect(queue.testing).toEqual([]);
  queue.passesTime(60);
  queue.merges();
  queue.failsToTheEnd(2);
  expect(statesOf(queue, 1, 2)).toEqual(["merged", "failed"]);
});

test("with beliefs in one line, a pull request that failed behind a frozen one and becomes urgent is tested without the frozen one", () => {
  const queue = frozen(beliefsInBlocks, { concurrency: 1 });
  for (const pr of [1, 2]) queue.submit(pr);
  pass(queue, 1);
  queue.built(2);
  queue.fails(2);
  queue.submit(2, {}, urgent);
  expect(queue.run(2).ahead).toEqual([]);
});

test.each(everyPolicy)(
  "with the policy $name, a lifted freeze lets merges continue, and a freeze that is already over is ignored",
  (policy) => {
    const queue = frozen(policy);
    queue.submit(1);
    pass(queue, 1);
    queue.freezes(null);
    expect(queue.state.merge?.steps.map(({ pr }) => pr)).toEqual([1]);
    const events = queue.log.length;
    queue.freezes(queue.now);
    queue.freezes(null);
    expect(queue.log).toHaveLength(events);
  },
);

test.each(everyPolicy)(
  "with the policy $name, a freeze is explained and published for every pull request that it keeps from merging",
  (policy) => {
    const queue = queueUnder(policy, { concurrency: 1 });
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
  },
);

test.each(everyPolicy)(
  "with the policy $name, a freeze moves every forecast to after its end, and does not change the forecast history",
  (policy) => {
    const queue = frozen(policy);
    queue.submit(1);
    pass(queue, 1);
    expect(forecast(queue.state, queue.now).get(1)?.p50).toBeGreaterThan(59 * minute);
    queue.passesTime(60);
    queue.merges();
    expect(Math.max(...queue.state.history.lineErrors)).toBeLessThan(0.1);
  },
);

test.each(everyPolicy)(
  "with the policy $name, a freeze is stored in snapshots, and snapshots from before freezes existed can be read",
  (policy) => {
    const queue = frozen(policy);
    const text = serializeState(queue.state);
    expect(deserializeState(text).freeze).toEqual(queue.state.freeze);
    const { freeze: _, ...older } = JSON.parse(text);
    expect(deserializeState(JSON.stringify(older)).freeze).toBeNull();
  },
);
