import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { drawScenario } from "./draw-scenario.ts";
import { play } from "./play.ts";
import type { Scenario } from "./scenario.ts";
import { shrink } from "./shrink.ts";

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
