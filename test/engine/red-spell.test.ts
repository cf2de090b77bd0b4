import { describe, expect, test } from "@jest/globals";
import { TargetSet } from "../../src/engine/collections/target-set.ts";
import { explain } from "../../src/engine/explain/explain.ts";
import type { QueueSettings } from "../../src/engine/model/settings.ts";
import { QueueHarness } from "./queue-harness.ts";

const minute = 60_000;
const prs = [1, 2, 3, 4, 5];

function queueOf(settings: Partial<QueueSettings>): QueueHarness {
  const queue = new QueueHarness({ policy: "adaptive", concurrency: 4, ...settings });
  queue.targets = (pr) => TargetSet.of([pr % 2, pr]);
  for (const pr of prs) queue.submit(pr);
  return queue;
}

/** Fails every test that ends within the given minutes. Each test takes five minutes. Returns the number of failed tests. */
function allFailFor(queue: QueueHarness, minutes: number): number {
  const end = queue.now + minutes * minute;
  queue.base = "failure";
  let failed = 0;
  while (queue.now < end) {
    for (const run of queue.state.runs.values()) if (run.state === "building") queue.runBuilt(run);
    queue.now += minute;
    queue.take({ type: "clock" });
    for (const { id } of queue.state.runs.values()) {
      const run = queue.state.runs.get(id);
      if (run?.state !== "running" || queue.now - run.startedAt < 5 * minute) continue;
      queue.runEnds(run, "failure");
      failed += 1;
    }
  }
  return failed;
}

function allPass(queue: QueueHarness): void {
  queue.base = "success";
  for (let round = 0; round < 100 && queue.state.entries.size > 0; round++) {
    for (const run of queue.state.runs.values()) if (run.state === "building") queue.runBuilt(run);
    for (const { id } of queue.state.runs.values()) {
      const run = queue.state.runs.get(id);
      if (run?.state === "running") queue.runEnds(run, "success");
    }
    while (queue.state.merge) queue.merges();
    queue.now += 5 * minute;
    queue.take({ type: "clock" });
  }
}

const states = (queue: QueueHarness) => prs.map((pr) => queue.stateOf(pr));

describe("a period in which every test fails", () => {
  test.each([
    {},
    { concurrency: 1 },
    { batch: true, batchingMinSize: 2 },
    { batch: true, batchSizing: "by_load", concurrency: 2 },
    { mode: "single", pendingFailureDepth: 2 },
    { policy: "beliefs", mode: "parallel", concurrency: 16 },
    { policy: "beliefs", mode: "single", batch: true, batchSizing: "by_load", concurrency: 16 },
    { policy: "beliefs", mode: "single", concurrency: 2 },
  ] as Partial<QueueSettings>[])("of an hour removes nobody with the settings %j", (settings) => {
    const queue = queueOf(settings);
    expect(allFailFor(queue, 60)).toBeLessThan(60);
    expect(states(queue)).not.toContain("failed");
    allPass(queue);
    expect(states(queue)).toEqual(prs.map(() => "merged"));
  });

  test("is explained to a pull request that waits for a retry", () => {
    const queue = queueOf({});
    const retries = () =>
      prs
        .flatMap((pr) => explain(queue.state, queue.entryOf(pr), queue.now))
        .filter(({ code }) => code === "RETRY_SCHEDULED");
    for (let minutes = 0; minutes < 60 && retries().length === 0; minutes++) allFailFor(queue, 1);
    const [link] = retries();
    expect(link?.text).toMatch(
      /^it is tested again later\. Nothing has passed since #.* failed, and the target branch fails by itself at base-0$/,
    );
    expect(link?.until).toBeGreaterThan(queue.now);
  });

  test("lets one test run at a time, and the other pull requests say why they wait", () => {
    const queue = queueOf({ concurrency: 4 });
    for (let minutes = 0; minutes < 60 && queue.state.history.redSince === null; minutes++)
      allFailFor(queue, 1);
    // The tests that were in progress when it began.
    allFailFor(queue, 5);
    for (const pr of [6, 7]) queue.submit(pr);
    for (let minutes = 0; minutes < 20; minutes++) {
      allFailFor(queue, 1);
      const { main, bisection } = queue.state.runIndex.active;
      expect(main + bisection).toBeLessThanOrEqual(1);
    }
    const waiting = [...queue.state.entries.values()]
      .flatMap((entry) => explain(queue.state, entry, queue.now))
      .filter(({ code }) => code === "NO_FREE_SLOT");
    expect(waiting.length).toBeGreaterThan(0);
    for (const { text } of waiting)
      expect(text).toMatch(/^tests run one at a time until one passes\. Those of #\d.* failed$/);
  });

  test("of more than two hours removes pull requests again", () => {
    const queue = queueOf({});
    const failed = allFailFor(queue, 8 * 60);
    expect(states(queue)).toEqual(prs.map(() => "failed"));
    expect(failed).toBeLessThan(60);
  });

  test("is forgotten when tests pass again", () => {
    const queue = queueOf({});
    allFailFor(queue, 60);
    expect(queue.state.history.redSince).not.toBeNull();
    allPass(queue);
    expect(queue.state.history).toMatchObject({ failing: [], redSince: null });
  });

  test.each([1, 2, 4, 8])("is not assumed when the base passes by itself, with %i slots", (concurrency) => {
    const queue = queueOf({ concurrency });
    for (let minutes = 0; minutes < 45 && queue.state.entries.size > 0; minutes += 5) {
      for (const run of queue.state.runs.values()) if (run.state === "building") queue.runBuilt(run);
      for (const { id } of queue.state.runs.values()) {
        const run = queue.state.runs.get(id);
        if (run?.state !== "running") continue;
        queue.runEnds(run, [...run.ahead, ...run.members].every((pr) => pr < 3) ? "success" : "failure");
      }
      while (queue.state.merge) queue.merges();
      queue.now += 5 * minute;
      queue.take({ type: "clock" });
    }
    expect(states(queue)).toEqual(["merged", "merged", "failed", "failed", "failed"]);
  });

  test("removes every pull request with the policy fixed", () => {
    const queue = queueOf({ policy: "fixed" });
    allFailFor(queue, 4 * 60);
    expect(states(queue)).toEqual(prs.map(() => "failed"));
  });
});
