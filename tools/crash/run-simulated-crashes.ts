import { Boundaries } from "../simulator/service/boundaries.ts";
import { playService } from "../simulator/service/play-service.ts";
import { type CrashResult, type KillOptions, killAtEach, type PlayedScenario } from "./kill-at-each.ts";
import type { ScenarioName } from "./scenarios.ts";
import { simulatedScenario } from "./simulated-scenarios.ts";

export interface SimulatedCrashOptions extends KillOptions {
  readonly scenarios: readonly ScenarioName[];
  /** How many services share the database. */
  readonly replicas: number;
}

/**
 * Plays each scenario in virtual time, once undisturbed, then once for each boundary, at which it kills the service that reaches it.
 * A pull request with another end than the scenario's is a violation.
 *
 * @throws Error when a scenario does not end well without a kill
 */
export async function runSimulatedCrashes(options: SimulatedCrashOptions): Promise<CrashResult> {
  const violations: string[] = [];
  let kills = 0;
  for (const name of options.scenarios) {
    const done = await killAtEach(name, (killAt) => play(name, options.replicas, killAt), options);
    kills += done.kills;
    violations.push(...done.violations);
  }
  return { kills, violations };
}

async function play(name: ScenarioName, replicas: number, killAt: number | null): Promise<PlayedScenario> {
  const boundaries = new Boundaries(killAt);
  const { violations } = await playService(simulatedScenario(name, replicas), boundaries);
  const wrong = violations.length > 0 ? violations.join("; ") : null;
  return { points: boundaries.points, wasKilled: boundaries.wasReached, wrong };
}
