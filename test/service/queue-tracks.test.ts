import { describe, expect, test } from "@jest/globals";
import { renderTracks } from "../../src/dashboard/queue/tracks.ts";
import { TargetSet } from "../../src/engine/collections/target-set.ts";
import { priceActions } from "../../src/service/queues/price-action.ts";
import { Forecasts } from "../../src/service/runtime/forecasts.ts";
import type { QueueTracks } from "../../src/service/runtime/queue-tracks.ts";
import { tracksOf } from "../../src/service/runtime/tracks-of.ts";
import { activeRuns, everyPolicy, queueUnder } from "../engine/every-policy.ts";
import { QueueHarness } from "../engine/queue-harness.ts";

const alice = { kind: "user", name: "alice" } as const;

function tracksIn({ state, now }: QueueHarness): QueueTracks {
  return tracksOf(state, new Forecasts({ now: () => now }));
}

function buildAll(queue: QueueHarness): void {
  for (const run of activeRuns(queue)) if (run.state === "building") queue.runBuilt(run);
}

describe("what the drawing says that a cancellation restarts, the engine restarts or stops", () => {
  const batches = [false, true];
  const outcomes = ["none", "success", "failure"] as const;
  test.each(everyPolicy.flatMap((policy) => batches.map((batch) => ({ ...policy, batch }))))(
    "$name, batches: $batch",
    (policy) => {
      for (const outcome of outcomes) {
        const queue = queueUnder(policy, {
          concurrency: policy.order === "line" ? 2 : 16,
          bisectionConcurrency: 2,
          batch: policy.batch,
          batchingMinSize: 3,
        });
        for (let pr = 1; pr <= 9; pr++) queue.submit(pr);
        queue.passesTime(6);
        buildAll(queue);
        const [first] = activeRuns(queue);
        if (first && outcome !== "none") queue.runEnds(first, outcome);
        buildAll(queue);
        for (const { pr, restarts } of Object.values(tracksIn(queue).cars)) {
          const cancel = { type: "cancel", pr, actor: alice, via: "dashboard" } as const;
          const { testedAgain, stopped } = priceActions(queue.state, [cancel], queue.now);
          const touched = new Set([...testedAgain, ...stopped].filter((other) => other !== pr));
          expect({ pr, restarts: new Set(restarts) }).toEqual({ pr, restarts: touched });
        }
      }
    },
  );
});

test("in parallel mode, each lane has the tests with common targets, and what waits for them", () => {
  const queue = new QueueHarness({ mode: "parallel", concurrency: 3 });
  queue.targets = (pr) => TargetSet.of([pr % 2]);
  for (const pr of [1, 2, 3, 5, 4]) queue.submit(pr);
  const { lanes } = tracksIn(queue);
  const drawn = lanes.map(({ tracks, waiting }) => ({
    tracks: tracks.map(({ ahead, members }) => [...ahead.flat(), ...members]),
    waiting,
  }));
  expect(drawn).toEqual([
    { tracks: [[1], [1, 3]], waiting: [5] },
    { tracks: [[2]], waiting: [4] },
  ]);
});

test("a bisection is described by the tests that failed, passed and are under way", () => {
  const queue = new QueueHarness({
    batch: true,
    batchingMinSize: 4,
    optimizationMode: "bisection_skip_redundant_tests",
  });
  for (const pr of [1, 2, 3, 4]) queue.submit(pr);
  buildAll(queue);
  queue.fails(1);
  const end = (conclusion: "success" | "failure") => {
    buildAll(queue);
    for (const run of activeRuns(queue)) queue.runEnds(run, conclusion);
  };
  const search = () => {
    const [{ tests = [], suspects = [] } = {}] = tracksIn(queue).searches;
    return [
      ...tests.map(({ prs, outcome }) => `${prs} ${outcome}`),
      `suspects ${suspects.map(({ pr }) => pr)}`,
    ];
  };
  expect(search()).toEqual(["1,2,3,4 failed", "1,2 under_way", "suspects 1,2,3,4"]);
  end("success");
  expect(search()).toEqual(["1,2,3,4 failed", "1,2 passed", "1,2,3 under_way", "suspects 3,4"]);
});

test("a pull request that failed with others is described with the tests, and the chance that it is at fault", () => {
  const queue = new QueueHarness({ mode: "parallel", policy: "beliefs", concurrency: 16 });
  queue.targets = () => "ALL";
  for (const pr of [1, 2]) queue.submit(pr);
  queue.built(1, 2);
  queue.fails(2);
  const [search] = tracksIn(queue).searches;
  expect(search?.prs).toEqual([1, 2]);
  expect(search?.tests[0]).toMatchObject({ prs: [1, 2], outcome: "failed", failedChecks: ["build"] });
  for (const { chance } of search?.suspects ?? []) expect(chance).toBeGreaterThan(0.1);
});

test("the tests of a search count among the slots in use when no slot is free", () => {
  const queue = new QueueHarness({ policy: "beliefs", concurrency: 4, batch: true, batchSizing: "by_load" });
  for (let pr = 1; pr <= 40; pr++) queue.submit(pr);
  buildAll(queue);
  const [first] = activeRuns(queue);
  queue.passesTime(10);
  if (first) queue.runEnds(first, "failure");
  buildAll(queue);
  const { searches, slots } = tracksIn(queue);
  expect(searches).toHaveLength(1);
  expect(queue.state.runIndex.active.main).toBeLessThan(4);
  expect(slots).toEqual({ used: 4, of: 4 });
});

test("of a long queue, the first tests and the first that wait are drawn, and the others are counted", () => {
  const queue = new QueueHarness({ concurrency: 60 });
  for (let pr = 1; pr <= 200; pr++) queue.submit(pr);
  const { lanes, moreTracks, moreWaiting, cars } = tracksIn(queue);
  const [tracks = 0, waiting = 0] = lanes.flatMap((lane) => [lane.tracks.length, lane.waiting.length]);
  expect({ tracks: tracks + moreTracks, waiting: waiting + moreWaiting }).toEqual({
    tracks: 60,
    waiting: 140,
  });
  expect(Object.keys(cars)).toHaveLength(tracks + waiting);
});

test("large batches are drawn in a page of a limited size", () => {
  const queue = new QueueHarness({ concurrency: 20, batch: true, batchingMinSize: 50 });
  for (let pr = 1; pr <= 1_000; pr++) queue.submit(pr);
  const tracks = tracksIn(queue);
  expect(tracks.lanes[0]?.tracks.map(({ members }) => members.length)).toEqual(Array(20).fill(50));
  const page = renderTracks({ repo: queue.state.repo, branch: "main" }, tracks);
  expect(page).toContain("#1000");
  expect(page.length).toBeLessThan(250_000);
});
