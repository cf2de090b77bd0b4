import { expect, test } from "@jest/globals";
import { runSimulatedCrashes } from "../../tools/crash/run-simulated-crashes.ts";
import { boundaryEvents } from "../../tools/simulator/service/boundary-event.ts";
import { options, timeoutMs } from "./simulated-options.ts";

/** The name can change between any two steps. The others are obstacles, which all work meets alike. */
test.each([
  ["freeze", 1],
  ["doze", 7],
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

test.each([
  ["squash", { mergeBy: "async_api" }, 7],
  ["merge", { mergeMethod: "rebase" }, 7],
] as const)(
  "%s ends well with %j if something happens at a boundary (multiples of %d)",
  async (scenario, settings, every) => {
    const { kills, violations } = await runSimulatedCrashes({
      ...options,
      ...{
        scenarios: [scenario],
        settings,
        every,
        events: ["kill", "merge_by_hand", "rename_branch", "draft"],
      },
    });
    expect(violations).toEqual([]);
    expect(kills).toBeGreaterThanOrEqual(4 * Math.floor(70 / every));
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
