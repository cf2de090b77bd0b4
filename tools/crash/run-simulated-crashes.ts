import { Boundaries } from "../simulator/service/boundaries.ts";
import { playService } from "../simulator/service/play-service.ts";
import type { CrashOptions, CrashResult } from "./run-crashes.ts";
import type { ScenarioName } from "./scenarios.ts";
import { simulatedScenario } from "./simulated-scenarios.ts";

export type SimulatedCrashOptions = Omit<CrashOptions, "database"> & {
  /** How many services share the database. */
  readonly replicas: number;
};

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
    const done = await crashEverywhere(name, options);
    kills += done.kills;
    violations.push(...done.violations);
  }
  return { kills, violations };
}

async function crashEverywhere(name: ScenarioName, options: SimulatedCrashOptions): Promise<CrashResult> {
  const plan = simulatedScenario(name, options.replicas);
  const none = new Boundaries(null);
  const undisturbed = await playService(plan, none);
  if (undisturbed.violations.length > 0)
    throw new Error(`${name} did not end well: ${undisturbed.violations.join("; ")}`);
  const numbers = none.points.map((_, index) => index + 1);
  const chosen = options.at ?? numbers.filter((number) => number % options.every === 0);
  options.progress(`${name}: ${numbers.length} boundaries`);
  const violations: string[] = [];
  const report = (violation: string) => {
    options.progress(violation);
    violations.push(violation);
  };
  let kills = 0;
  for (const number of chosen) {
    const boundaries = new Boundaries(number);
    const { violations: found } = await playService(plan, boundaries);
    if (boundaries.wasReached) kills += 1;
    else report(`${name} was not killed, because it has no boundary ${number}`);
    const where = `killed at boundary ${number} (${boundaries.points[number - 1]})`;
    if (found.length > 0) report(`${name}, ${where}: ${found.join("; ")}`);
  }
  options.progress(`${name}: killed ${kills} times, ${violations.length} violations`);
  return { kills, violations };
}
