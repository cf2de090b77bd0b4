import { expect, test } from "@jest/globals";
import { runSimulatedCrashes } from "../../tools/lab/crash/simulated-crashes.ts";
import { boundaryEvents } from "../../tools/simulator/service/boundaries.ts";
import { options, timeoutMs } from "./simulated-options.ts";

/** The name can change between any two steps. The others are obstacles, which all work meets alike. */
test.each([
  ["freeze", 5],
  ["doze", 23],
  ["push_to_base", 11],
  ["rewind", 23],
  ["merge_by_hand", 11],
  ["object", 23],
  ["close", 23],
  ["draft", 23],
  ["retarget", 11],
  ["remove_branches", 23],
  ["push", 11],
  ["cancel", 11],
  ["ready", 11],
  ["restart", 11],
  ["delete_comments", 5],
  ["pause", 23],
  ["reconfigure", 11],
  ["rename", 5],
  ["transfer", 11],
  ["rename_branch", 11],
  ["suspend", 23],
  ["uninstall", 23],
  ["hide", 23],
  ["archive", 23],
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
  ["merge", "ready", 3, "api"],
  ["merge", "push", 7, "api"],
  ["merge", "push_to_base", 7, "api"],
  ["merge", "merge_by_hand", 7, "api"],
  ["merge", "retarget", 3, "api"],
  ["merge", "rename", 7, "api"],
  ["cancel", "rename_branch", 3, "api"],
  ["cancel", "freeze", 3, "comment"],
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
        every: 127,
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
  ["squash", { mergeBy: "async_api" }, 17],
  ["merge", { mergeMethod: "rebase" }, 17],
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
  ["comment", "transfer", 7],
  ["comment", "rename_branch", 17],
  ["label", "rename", 17],
  ["auto_merge", "rename_branch", 17],
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
