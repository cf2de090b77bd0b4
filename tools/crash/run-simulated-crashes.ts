import type { QueueSettings } from "../../src/engine/model/settings.ts";
import { Boundaries, type BoundaryKind } from "../simulator/service/boundaries.ts";
import type { BoundaryEvent } from "../simulator/service/boundary-event.ts";
import { playService } from "../simulator/service/play-service.ts";
import type { Way } from "../simulator/service/service-plan.ts";
import { type CrashResult, type KillOptions, killAtEach, type PlayedScenario } from "./kill-at-each.ts";
import type { ScenarioName } from "./scenarios.ts";
import { simulatedScenario } from "./simulated-scenarios.ts";

export interface SimulatedCrashOptions extends KillOptions {
  readonly scenarios: readonly ScenarioName[];
  /** How many services share the database. */
  readonly replicas: number;
  /** What happens at the boundaries, in turn. */
  readonly events: readonly BoundaryEvent[];
  readonly boundaries: BoundaryKind;
  /** How people give commands. */
  readonly by: Way;
  /** Replace those of the scenarios. */
  readonly settings: Partial<QueueSettings>;
  /** Whether webhooks are lost. */
  readonly withoutWebhooks: boolean;
}

/**
 * Plays each scenario in virtual time, once undisturbed, then once for each boundary, at which it kills the service that reaches it,
 * or lets something else happen. A pull request with another end than the scenario's is a violation.
 *
 * @throws Error when a scenario does not end well without a kill
 */
export async function runSimulatedCrashes(options: SimulatedCrashOptions): Promise<CrashResult> {
  const violations: string[] = [];
  let kills = 0;
  for (const event of options.events)
    for (const name of options.scenarios) {
      const playOnce = (at: number | null) => play(name, event, options, at);
      const done = await killAtEach(name, playOnce, { ...options, event });
      kills += done.kills;
      violations.push(...done.violations);
    }
  return { kills, violations };
}

/** No webhook arrives for 20 minutes, which is longer than a scenario takes. */
const unheard = { lostWebhooks: 1, calmFrom: 20 * 60_000 };

async function play(
  name: ScenarioName,
  event: BoundaryEvent,
  { replicas, by, boundaries: kind, withoutWebhooks, settings }: SimulatedCrashOptions,
  at: number | null,
): Promise<PlayedScenario> {
  const boundaries = new Boundaries(at, event, kind);
  const plan = simulatedScenario(name, { replicas, event, by });
  const changed = { ...plan, settings: { ...plan.settings, ...settings } };
  const { violations } = await playService({ ...changed, ...(withoutWebhooks ? unheard : {}) }, boundaries);
  const wrong = violations.length > 0 ? violations.join("; ") : null;
  return { points: boundaries.points, wasKilled: boundaries.wasReached, wrong };
}
