import { describe, expect, test } from "@jest/globals";
import { queueChanges } from "../../src/api/endpoints/queue-settings.ts";
import { settingWarnings } from "../../src/api/endpoints/setting-warnings.ts";
import { decide } from "../../src/engine/decide.ts";
import { defaultSettings, type QueueSettings } from "../../src/engine/model/settings.ts";
import { drawScenario } from "../../tools/simulator/soak/draw-scenario.ts";
import { play } from "../../tools/simulator/soak/play.ts";
import { QueueHarness } from "../engine/queue-harness.ts";

/** Two values of each setting that the order or the verdicts of tests depend on. */
const values = {
  concurrency: [4, 16],
  bisectionConcurrency: [1, 3],
  testingTimeoutMinutes: [5, 300],
  flakyRetries: [0, 3],
  cancelObsoleteRuns: [true, false],
  pendingFailureDepth: [0, 2],
  canOptimisticallyMerge: [false, true],
  batch: [false, true],
  batchingMaxWaitTimeMinutes: [1, 60],
  batchingMinSize: [2, 16],
  batchSizing: ["minimum", "by_load"],
  priorityMaxWaitTimeMinutes: [1, 480],
  notReadyTimeoutHours: [1, 24],
  directMergeMode: ["off", "always"],
  optimizationMode: ["off", "bisection_skip_redundant_tests"],
  mergeMethod: ["merge_commit", "squash"],
} as const satisfies { [Key in keyof QueueSettings]?: readonly QueueSettings[Key][] };

/** What no policy reads: the bot, the service, the code host, or what every policy shares. */
const elsewhere = [
  ...["state", "mode", "policy", "publicPage", "mergeBy", "acceptFromHead", "submitByAutoMerge"],
  ...["commentsEnabled", "commandsEnabled", "statusCheckEnabled", "createPrsForTestingBranches"],
  ...["requiredStatuses", "deleteRequiredStatuses", "missingCheckMinutes", "reviewGraceMinutes"],
  "testingTimeout",
  ...["labelCommandsEnabled", "enqueueingLabel", "stateLabelsEnabled", "allowedBotSubmitters"],
  ...["extensionEnabled", "batchingRules", "testBranchConstructionMode"],
];

/** The settings under which others decide something. */
const inBatches = { batch: true, batchSizing: "minimum", batchingMinSize: 4 } as const;
const under: { readonly [name: string]: Partial<QueueSettings> } = {
  bisectionConcurrency: inBatches,
  batchingMaxWaitTimeMinutes: inBatches,
  batchingMinSize: inBatches,
  optimizationMode: inBatches,
};
const seeds = 40;

/** Whether no scenario of some shows any difference between the two values. */
function isIgnored(one: Partial<QueueSettings>, other: Partial<QueueSettings>): boolean {
  for (let seed = 1; seed <= seeds; seed++) if (eventsOf(seed, one) !== eventsOf(seed, other)) return false;
  return true;
}

function eventsOf(seed: number, settings: Partial<QueueSettings>): string {
  const scenario = drawScenario(seed, settings);
  const steps = scenario.steps.filter((step) => step.do !== "configure").slice(0, 60);
  const seen: unknown[] = [];
  play({ ...scenario, steps }, (state, input, context) => {
    const decided = decide(state, input, context);
    seen.push(...decided.events.filter(({ data }) => data.type !== "queue_created"));
    return decided;
  });
  return JSON.stringify(seen);
}

/** Only with `adaptive`, the number of slots decides how tests are ordered. */
const queues = (["single", "parallel"] as const).flatMap((mode) => [
  { policy: "fixed" as const, mode, concurrency: 16 },
  { policy: "adaptive" as const, mode, concurrency: 4 },
  { policy: "adaptive" as const, mode, concurrency: 16 },
  { policy: "beliefs" as const, mode, concurrency: 4 },
]);

/** Whether the answer says that one of the values has no effect. */
function isWarnedOf(name: keyof typeof values, queue: Partial<QueueSettings>): boolean {
  return values[name].some((value) => {
    const settings = { ...defaultSettings, ...under[name], ...queue, [name]: value };
    return settingWarnings({ [name]: value }, settings).some((text) => text.startsWith(name));
  });
}

describe.each(queues)("with $policy in $mode mode and $concurrency slots", (queue) => {
  test.each(Object.keys(values) as (keyof typeof values)[])("%s has an effect, or a warning", (name) => {
    const [one, other] = values[name];
    const isSilent =
      !isWarnedOf(name, queue) &&
      isIgnored({ ...under[name], ...queue, [name]: one }, { ...under[name], ...queue, [name]: other });
    expect(isSilent).toBe(false);
  });

  test("pendingFailureDepth makes a failed pull request wait for those behind it, or there is a warning", () => {
    const tested = new QueueHarness({ ...queue, pendingFailureDepth: 2 });
    tested.targets = () => "ALL";
    for (const pr of [1, 2, 3]) tested.submit(pr);
    tested.built(1, 2, 3);
    tested.fails(1);
    const isOrderedByBeliefs = tested.state.strategy === "beliefs";
    const waits = tested.stateOf(1) === "pending_failure" && tested.testing.length === 2;
    expect({ waits, isWarnedOf: isWarnedOf("pendingFailureDepth", queue) }).toEqual({
      waits: !isOrderedByBeliefs,
      isWarnedOf: isOrderedByBeliefs,
    });
  });
});

test("every setting is in one of the two tables", () => {
  expect([...Object.keys(values), ...elsewhere].sort()).toEqual(Object.keys(queueChanges).sort());
});

describe("the settings of batches", () => {
  const byLoad = { ...defaultSettings, batch: true, batchSizing: "by_load" } as const;

  test("have no effect while batches are sized by load, and the answer says so unless the request does", () => {
    const changes = { batch: true, batchingMinSize: 8, batchingMaxWaitTimeMinutes: 10 };
    expect(settingWarnings(changes, byLoad)).toEqual([
      expect.stringMatching(/^batchingMinSize is stored as 8, but has no effect: batchSizing is by_load/),
      expect.stringMatching(/^batchingMaxWaitTimeMinutes is stored as 10, but has no effect/),
    ]);
    expect(settingWarnings({ ...changes, batchSizing: "by_load" }, byLoad)).toEqual([]);
  });

  test("have no effect without batches, and the answer says so unless the request does", () => {
    const alone = { ...byLoad, batch: false };
    expect(settingWarnings({ batchingMinSize: 8 }, alone)).toEqual([
      expect.stringContaining("batch is false"),
    ]);
    expect(settingWarnings({ batch: false, batchingMinSize: 8 }, alone)).toEqual([]);
  });
});

test("a required status that is named as GitHub's pages show it brings a warning with the check's name", () => {
  const warned = (...requiredStatuses: string[]) => settingWarnings({ requiredStatuses }, defaultSettings);
  expect(warned("CI / build (pull_request)", "lint")).toEqual([
    expect.stringMatching(/require "build" instead of "CI \/ build \(pull_request\)"\./),
  ]);
  expect(warned("build", "ci/circleci: test")).toEqual([]);
});
