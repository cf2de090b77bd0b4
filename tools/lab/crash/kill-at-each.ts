import type { BoundaryEvent } from "../../simulator/service/boundaries.ts";
import type { ScenarioName } from "./scenarios.ts";

export interface KillOptions {
  /** Kills only at the boundaries with these numbers; null = at every boundary. */
  readonly at: readonly number[] | null;
  /** Kills only at each boundary whose number is a multiple of this. */
  readonly every: number;
  /** What happens at the boundaries; default: a kill. */
  readonly event?: BoundaryEvent;
  readonly progress: (text: string) => void;
}

export interface CrashResult {
  /** The number of runs in which the service was killed, or something else happened. */
  readonly kills: number;
  readonly violations: readonly string[];
}

/** One run of a scenario. */
export interface PlayedScenario {
  /** The boundaries that it passed, in order. */
  readonly points: readonly string[];
  readonly wasKilled: boolean;
  /** What is wrong with its end; null = nothing. */
  readonly wrong: string | null;
}

/**
 * Plays a scenario once undisturbed, then once for each boundary of a durable effect, at which the service is killed.
 *
 * @param play plays the scenario; `killAt` is the number of the boundary, counted from 1, or null = none
 * @throws Error when the undisturbed run does not end well
 */
export async function killAtEach(
  name: ScenarioName,
  play: (killAt: number | null) => Promise<PlayedScenario>,
  { at, every, event = "kill", progress }: KillOptions,
): Promise<CrashResult> {
  const { points, wrong } = await play(null);
  if (wrong !== null) throw new Error(`${name} did not end well: ${wrong}`);
  progress(`${name}: ${points.length} boundaries`);
  const numbers = points.map((_, index) => index + 1);
  const violations: string[] = [];
  const what = event === "kill" ? "killed" : `with ${event}`;
  let kills = 0;
  for (const number of at ?? numbers.filter((one) => one % every === 0)) {
    const run = await play(number);
    const found: string[] = [];
    if (run.wasKilled) kills += 1;
    // The others come from the undisturbed run, and another run may pass fewer.
    else if (at) found.push(`${name} was not played, ${what}, because it has no boundary ${number}`);
    if (run.wrong !== null)
      found.push(`${name}, ${what} at boundary ${number} (${run.points[number - 1]}): ${run.wrong}`);
    for (const violation of found) progress(violation);
    violations.push(...found);
  }
  progress(`${name}: ${what} ${kills} times, ${violations.length} violations`);
  return { kills, violations };
}
