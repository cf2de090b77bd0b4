import { describe, expect, test } from "@jest/globals";
import { fold } from "../../src/engine/evolve.ts";
import { serializeState } from "../../src/engine/snapshot.ts";
import { everyPolicy, orderingPolicies, type PolicyUnderTest, queueUnder, restored } from "./every-policy.ts";
import type { QueueHarness } from "./queue-harness.ts";

/** Passes and merges the first pull request under test. Returns its number. */
function mergeNext(queue: QueueHarness): number {
  const [pr = 0] = queue.testing;
  queue.built(pr);
  queue.passes(pr);
  queue.merges();
  return pr;
}

/** Every ten minutes a pull request of the given priority arrives and one test ends. Returns how many merge before a low-priority one. */
function overtakers(
  policy: PolicyUnderTest,
  priorityMaxWaitTimeMinutes: number,
  priority: number,
  max: number,
): number {
  const queue = queueUnder(policy, { priorityMaxWaitTimeMinutes });
  queue.submit(1_000);
  queue.submit(1, {}, 200);
  for (let pr = 2; pr < max; pr++) {
    queue.submit(pr, {}, priority);
    queue.passesTime(10);
    if (mergeNext(queue) === 1) return pr - 2;
  }
  return max;
}

describe.each(everyPolicy)("with the policy $name, bounded ageing", (policy) => {
  test("lets urgent pull requests overtake others however long these have waited", () => {
    expect(overtakers(policy, 60, 0, 30)).toBe(30);
  });

  test("marks an entry as aged once, and keeps the mark through retests and snapshots", () => {
    const queue = queueUnder(policy, { priorityMaxWaitTimeMinutes: 60 });
    for (const pr of [1, 2, 3]) queue.submit(pr, {}, 200);
    queue.passesTime(61);
    queue.restart(1);
    queue.built(1);
    queue.restart(1);
    queue.submit(4, {}, 10);
    const text = serializeState(queue.state);
    expect(serializeState(fold(queue.log))).toBe(text);
    const [waiting] = restored(queue).waiting.values();
    expect(waiting).toBe(2);
    const aged = queue.log.flatMap(({ data }) => (data.type === "entry_aged" ? [data.pr] : []));
    expect(aged.sort()).toEqual([1, 2, 3]);
  });

  test("uses the default waiting time in a queue created before the setting existed", () => {
    const queue = queueUnder(policy);
    queue.submit(1);
    queue.submit(2, {}, 200);
    const [created, ...rest] = queue.log;
    if (created?.data.type !== "queue_created") throw new Error("no queue was created");
    const { priorityMaxWaitTimeMinutes: _, ...settings } = created.data.settings;
    const old = { ...created, data: { ...created.data, settings: settings as typeof created.data.settings } };
    expect(fold([old, ...rest]).settings.priorityMaxWaitTimeMinutes).toBe(480);
  });
});

describe.each(orderingPolicies)("with the policy $name, bounded ageing", (policy) => {
  test.each([60, 120, 240])(
    "lets better priorities overtake a pull request for %i minutes and no longer",
    (minutes) => {
      const overtook = overtakers(policy, minutes, 10, 100);
      expect(overtook).toBeGreaterThanOrEqual(minutes / 10 - 1);
      expect(overtook).toBeLessThanOrEqual(minutes / 10 + 1);
    },
  );

  test("orders aged pull requests by submission time, whatever their priorities", () => {
    const queue = queueUnder(policy, { priorityMaxWaitTimeMinutes: 60 });
    queue.submit(1);
    queue.submit(2, {}, 200);
    queue.submit(3, {}, 10);
    queue.submit(4, {}, 100);
    queue.passesTime(61);
    queue.submit(5, {}, 1);
    queue.submit(6, {}, 0);
    // #6 is urgent and has interrupted #1.
    const order = [1, 2, 3, 4, 5, 6].map(() => mergeNext(queue));
    expect(order).toEqual([6, 1, 2, 3, 4, 5]);
  });
});
