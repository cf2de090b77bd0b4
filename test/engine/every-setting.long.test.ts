import { describe, expect, test } from "@jest/globals";
import { defaultSettings, type QueueSettings } from "../../src/engine/model/settings.ts";
import { drawScenario } from "../../tools/simulator/soak/draw-scenario.ts";
import { play } from "../../tools/simulator/soak/play.ts";

const choices = {
  policy: ["fixed", "adaptive", "beliefs"],
  batch: [false, true],
  optimizationMode: ["off", "bisection_skip_redundant_tests"],
  canOptimisticallyMerge: [false, true],
  mergeMethod: ["merge_commit", "squash", "rebase"],
  directMergeMode: ["off", "always"],
  pendingFailureDepth: [0, 1, 2],
  concurrency: [1, 8],
  batchingMinSize: [1, 4, 16],
} as const satisfies { [Key in keyof QueueSettings]?: readonly QueueSettings[Key][] };

/** Settings that no decision of the engine depends on, that have their own test, or that the scenarios draw. */
const left = {
  mode: "each has its own test",
  batchSizing: "drawn",
  bisectionConcurrency: "drawn",
  testingTimeoutMinutes: "drawn",
  testingTimeout: "has its own test",
  missingCheckMinutes: "has its own test",
  flakyRetries: "drawn",
  cancelObsoleteRuns: "of the service",
  batchingMaxWaitTimeMinutes: "drawn",
  priorityMaxWaitTimeMinutes: "drawn",
  notReadyTimeoutHours: "has its own test",
  reviewGraceMinutes: "drawn",
  commandsEnabled: "drawn",
  commandsDisabledBy: "said in a refusal",
  labelCommandsEnabled: "of the bot",
  enqueueingLabel: "of the bot",
  stateLabelsEnabled: "of the service",
  allowedBotSubmitters: "of the bot",
  commentsEnabled: "of the bot",
  submitByAutoMerge: "of the bot",
  createPrsForTestingBranches: "of the service",
  statusCheckEnabled: "of the service",
  requiredStatuses: "of the service",
  acceptFromHead: "has its own test",
  mergeBy: "of the code host",
};

const stepsOfEach = 25;

function combinations(): Partial<QueueSettings>[] {
  let all: Partial<QueueSettings>[] = [{}];
  for (const [key, values] of Object.entries(choices))
    all = all.flatMap((some) => values.map((value) => ({ ...some, [key]: value })));
  return all;
}

describe("a soak over all combinations of settings", () => {
  const totals = { seeds: 0, events: 0 };
  const reached = new Set<string>();

  test.each(["single", "parallel"] as const)(
    "breaks no invariant and leaves no entry behind in %s mode",
    (mode) => {
      const broken: string[] = [];
      for (const combination of combinations()) {
        const seed = ++totals.seeds;
        const scenario = drawScenario(seed, { mode, ...combination });
        const played = play({ ...scenario, steps: scenario.steps.slice(0, stepsOfEach) });
        totals.events += played.events;
        for (const what of played.reached) reached.add(what);
        if (played.violation !== null)
          broken.push(`seed ${seed}, ${JSON.stringify({ mode, ...combination })}: ${played.violation}`);
      }
      expect(broken).toEqual([]);
    },
  );

  test("plays at least 200,000 events over one seed per combination", () => {
    expect(totals.seeds).toBe(2 * 2592);
    expect(totals.events).toBeGreaterThanOrEqual(200_000);
  });

  test("reaches the reasons that faults and users cause", () => {
    expect([...reached].sort()).toEqual(
      expect.arrayContaining([
        "AHEAD_CANCELLED",
        "AHEAD_FAILED",
        "AHEAD_HELD",
        "AHEAD_MERGED_BY_HAND",
        "AHEAD_RESTARTED",
        "BASE_MOVED",
        "BISECTION_REQUIRED",
        "BUILDING_NOT_ALLOWED",
        "CONFLICT_WITH_AHEAD",
        "DIRECT_MERGED",
        "FLAKY_TESTS_RETRIED",
        "HEAD_CHANGED",
        "IMPLIED_BY_BISECTION",
        "INFRASTRUCTURE_ERROR",
        "INTERRUPTED_BY_URGENT",
        "MERGED_BY_OTHERS",
        "MERGED_IN_ORDER",
        "MERGE_REFUSED",
        "PUSHED_TO",
        "RESTARTED",
        "RETRY_REFUSED",
        "SUCCESSOR_PASSED",
        "TARGETS_CHANGED",
        "TESTING_TIMEOUT",
        "TREE_MISMATCH",
        "entry_aged",
      ]),
    );
  });

  test("covers every setting, or lists why not", () => {
    expect([...Object.keys(choices), ...Object.keys(left)].sort()).toEqual(
      Object.keys(defaultSettings).sort(),
    );
  });

  test("always plays the same events for the same seed", () => {
    const traces = () => Array.from({ length: 40 }, (_, seed) => play(drawScenario(seed + 1)).trace);
    const once = traces();
    expect(traces()).toEqual(once);
    expect(new Set(once).size).toBe(once.length);
  });
});
