import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { defaultSettings } from "../../../src/engine/model/settings.ts";
import { drawScenario } from "./draw-scenario.ts";
import { play } from "./play.ts";
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

/** A scenario that once broke an invariant, kept as a regression test. */
export interface Fixture {
  /** The violation, as `I13: …`. */
  readonly violation: string;
  readonly scenario: Scenario;
}

/** Returns the smallest scenario that breaks the same invariant as a seed's scenario; null if that scenario breaks none. */
export function reduce(
  seed: number,
  playOne: (scenario: Scenario) => { violation: string | null } = play,
): Fixture | null {
  const scenario = drawScenario(seed);
  const broken = invariantOf(playOne(scenario).violation);
  if (broken === null) return null;
  const smallest = shrink(scenario, (smaller) => invariantOf(playOne(smaller).violation) === broken);
  return { violation: playOne(smallest).violation ?? broken, scenario: smallest };
}

/**
 * Writes a fixture and returns its path.
 * @throws when the folder cannot be written
 */
export function writeFixture(folder: string, seed: number, fixture: Fixture): string {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `seed-${seed}.json`);
  writeFileSync(file, `${JSON.stringify(fixture, null, 2)}\n`);
  return file;
}

/** @throws when the file does not exist */
export function readFixture(file: string): Fixture {
  return JSON.parse(readFileSync(file, "utf8"));
}

function invariantOf(violation: string | null): string | null {
  return violation?.split(":")[0] ?? null;
}
