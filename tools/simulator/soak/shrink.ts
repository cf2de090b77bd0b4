import { defaultSettings } from "../../../src/engine/model/settings.ts";
import type { Scenario, Step } from "./scenario.ts";

/**
 * Returns the smallest scenario for which `isBroken` still holds. Finds it by leaving out steps and facts, one after the other
 * (ddmin; A. Zeller, R. Hildebrandt: "Simplifying and Isolating Failure-Inducing Input", 2002).
 */
export function shrink(scenario: Scenario, isBroken: (smaller: Scenario) => boolean): Scenario {
  let smallest = scenario;
  for (let before = ""; before !== JSON.stringify(smallest); ) {
    before = JSON.stringify(smallest);
    smallest = withFewerSteps(smallest, isBroken);
    for (const candidate of simpler(smallest)) {
      const merged = candidate(smallest);
      if (JSON.stringify(merged) !== JSON.stringify(smallest) && isBroken(merged)) smallest = merged;
    }
  }
  return smallest;
}

function withFewerSteps(scenario: Scenario, isBroken: (smaller: Scenario) => boolean): Scenario {
  let steps: readonly Step[] = scenario.steps;
  for (let size = Math.ceil(steps.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let start = 0; start < steps.length; ) {
      const fewer = [...steps.slice(0, start), ...steps.slice(start + size)];
      if (isBroken({ ...scenario, steps: fewer })) steps = fewer;
      else start += size;
    }
  }
  return { ...scenario, steps };
}

type Simplification = (scenario: Scenario) => Scenario;

/** Returns changes that each restore one default setting or remove one fact. */
function simpler({ broken, excused = [], clashes, conflicts, targets }: Scenario): Simplification[] {
  return [
    ...Object.keys(defaultSettings).map(
      (key): Simplification =>
        (scenario) => ({
          ...scenario,
          settings: { ...scenario.settings, [key]: defaultSettings[key as keyof typeof defaultSettings] },
        }),
    ),
    ...broken.map(
      (pr): Simplification =>
        (scenario) => ({
          ...scenario,
          broken: scenario.broken.filter((other) => other !== pr),
        }),
    ),
    ...excused.map(
      (pr): Simplification =>
        (scenario) => ({
          ...scenario,
          excused: scenario.excused?.filter((other) => other !== pr) ?? [],
        }),
    ),
    ...clashes.map(
      (pair): Simplification =>
        (scenario) => ({
          ...scenario,
          clashes: scenario.clashes.filter((other) => other !== pair),
        }),
    ),
    ...conflicts.map(
      (pair): Simplification =>
        (scenario) => ({
          ...scenario,
          conflicts: scenario.conflicts.filter((other) => other !== pair),
        }),
    ),
    ...Object.keys(targets).map(
      (pr): Simplification =>
        (scenario) => ({
          ...scenario,
          targets: Object.fromEntries(Object.entries(scenario.targets).filter(([other]) => other !== pr)),
        }),
    ),
  ];
}
