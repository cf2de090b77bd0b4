import type { QueueSettings } from "../../../src/engine/model/settings.ts";
import { drawScenario } from "./draw-scenario.ts";
import { play } from "./play.ts";

/** Seeds that follow one another, the last one excluded. */
export interface SeedRange {
  readonly from: number;
  readonly to: number;
}

export interface SeedsPlayed {
  readonly seeds: number;
  /** The engine's events. */
  readonly events: number;
  readonly broken: readonly { readonly seed: number; readonly violation: string }[];
}

/**
 * Plays the scenario of every seed of a range, and all invariants are checked after every step.
 * @param narrowed settings that are not left to chance at the beginning.
 */
export function runSeeds({ from, to }: SeedRange, narrowed: Partial<QueueSettings> = {}): SeedsPlayed {
  let events = 0;
  const broken: { seed: number; violation: string }[] = [];
  for (let seed = from; seed < to; seed++) {
    const played = play(drawScenario(seed, narrowed));
    events += played.events;
    if (played.violation !== null) broken.push({ seed, violation: played.violation });
  }
  return { seeds: to - from, events, broken };
}
