import { describe, expect, test } from "@jest/globals";
import { runSimulatedCrashes } from "../../tools/crash/run-simulated-crashes.ts";
import { scenarioNames } from "../../tools/crash/scenarios.ts";
import { boundaryEvents } from "../../tools/simulator/service/boundary-event.ts";

/** Kills one service at every boundary. */
const options = {
  at: null,
  every: 1,
  replicas: 1,
  events: ["kill"],
  laterEvents: [],
  seed: 1,
  boundaries: "effects",
  by: "api",
  settings: {},
  withoutWebhooks: false,
  progress: () => {},
} as const;
/** Four hundred lives on a busy machine. */
const timeoutMs = 1_800_000;

describe("in virtual time, a service that is killed at any boundary of a durable effect ends like one that was not", () => {
  test.each(scenarioNames)(
    "%s: every boundary",
    async (name) => {
      const { kills, violations } = await runSimulatedCrashes({ ...options, scenarios: [name] });
      expect(violations).toEqual([]);
      expect(kills).toBeGreaterThanOrEqual(70);
    },
    timeoutMs,
  );

  test(
    "three replicas: multiples of 97",
    async () => {
      const { kills, violations } = await runSimulatedCrashes({
        ...options,
        scenarios: scenarioNames,
        every: 97,
        replicas: 3,
      });
      expect(violations).toEqual([]);
      expect(kills).toBeGreaterThanOrEqual(20);
    },
    timeoutMs,
  );
});

/** The name can change between any two steps. The others are obstacles, which all work meets alike. */
test.each([
  ["freeze", 1],
  ["push_to_base", 3],
  ["rewind", 7],
  ["merge_by_hand", 3],
  ["object", 7],
  ["close", 7],
  ["draft", 7],
  ["retarget", 3],
  ["remove_branches", 7],
  ["push", 3],
  ["cancel", 3],
  ["ready", 3],
  ["restart", 3],
  ["pause", 7],
  ["reconfigure", 3],
  ["rename", 1],
  ["transfer", 3],
  ["rename_branch", 3],
  ["suspend", 7],
  ["uninstall", 7],
  ["hide", 7],
  ["archive", 7],
] as const)(
  "a merge ends well if %s happens at a boundary (multiples of %d)",
  async (event, every) => {
    const { kills, violations } = await runSimulatedCrashes({
      ...options,
      scenarios: ["merge"],
      every,
      events: [event],
    });
    expect(violations).toEqual([]);
    expect(kills).toBeGreaterThanOrEqual(Math.floor(70 / every));
  },
  timeoutMs,
);

test.each([
  ["merge", "ready", 1, "api"],
  ["merge", "push", 3, "api"],
  ["merge", "push_to_base", 3, "api"],
  ["merge", "merge_by_hand", 3, "api"],
  ["merge", "retarget", 1, "api"],
  ["merge", "rename", 5, "api"],
  ["cancel", "rename_branch", 1, "api"],
  ["cancel", "freeze", 1, "comment"],
] as const)(
  "%s ends well if %s happens while the replica that got an answer is suspended (multiples of %d), by %s",
  async (scenario, event, every, by) => {
    const { kills, violations } = await runSimulatedCrashes({
      ...options,
      scenarios: [scenario],
      boundaries: "readings",
      every,
      replicas: 2,
      events: [event],
      by,
    });
    expect(violations).toEqual([]);
    expect(kills).toBeGreaterThanOrEqual(Math.floor(20 / every));
  },
  timeoutMs,
);

test(
  "a merge ends well if two things happen, one after the other",
  async () => {
    const { kills, violations } = await runSimulatedCrashes({
      ...options,
      ...{
        scenarios: ["merge"],
        every: 43,
        replicas: 2,
        events: boundaryEvents,
        laterEvents: boundaryEvents,
      },
    });
    expect(violations).toEqual([]);
    expect(kills).toBeGreaterThanOrEqual(2 * boundaryEvents.length);
  },
  timeoutMs,
);

/** The bot hears of the command while the place changes, too. */
test.each([
  ["comment", "transfer", 3],
  ["comment", "rename_branch", 7],
  ["label", "rename", 7],
  ["auto_merge", "rename_branch", 7],
] as const)(
  "a merge by %s ends well if %s happens at a boundary (multiples of %d)",
  async (by, event, every) => {
    const { kills, violations } = await runSimulatedCrashes({
      ...options,
      ...{ scenarios: ["merge"], by, every, events: [event] },
    });
    expect(violations).toEqual([]);
    expect(kills).toBeGreaterThanOrEqual(Math.floor(90 / every));
  },
  timeoutMs,
);

test("a boundary that a simulated scenario does not have is reported, because nothing was proved", async () => {
  const { kills, violations } = await runSimulatedCrashes({ ...options, scenarios: ["merge"], at: [9_999] });
  expect({ kills, violations }).toEqual({
    kills: 0,
    violations: ["merge was not played, killed, because it has no boundary 9999"],
  });
});
