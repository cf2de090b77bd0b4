import { setTimeout as sleep } from "node:timers/promises";
import { drawBetween } from "../sandbox/seeded-draw.ts";
import type { RunningDemo } from "./demo/run-demo.ts";

/** How often something happened, by name. */
export type Counts = Readonly<Record<string, number>>;

/** Makes something fail around the service until the demo ends. Returns what was done. */
export type Disturbance = (demo: RunningDemo) => Promise<Counts>;

export async function disturb(demo: RunningDemo, disturbances: readonly Disturbance[]): Promise<Counts> {
  const all = await Promise.all(disturbances.map((disturbance) => disturbance(demo)));
  return Object.assign({}, ...all);
}

interface Kills {
  readonly kills: number;
  readonly seed: number;
  /** How long the service lives between kills, from and to. */
  readonly everyMs: readonly [number, number];
}

/** Kills the service without warning and restarts it, at moments spread over the demo. */
export const killAtRandom =
  ({ kills, seed, everyMs }: Kills): Disturbance =>
  async ({ service, sandbox, finished }) => {
    const { pause, isOver } = pausesUntil(finished);
    for (let kill = 0; kill < kills; kill++) {
      await pause(drawBetween(seed, everyMs, "kill", kill));
      if (isOver()) return { kills: kill };
      await service.kill();
      sandbox.limits.forgetAnswers();
      await service.start();
    }
    return { kills };
  };

export interface Pauses {
  isOver(): boolean;
  /** Resolves after a time, or when the demo ends. */
  pause(ms: number): Promise<void>;
}

/** Pauses that end early when the demo ends. */
export function pausesUntil(finished: Promise<void>): Pauses {
  let over = false;
  const end = () => {
    over = true;
  };
  // The error of the demo is reported to the callers that wait for the demo.
  const ending = finished.then(end, end);
  return {
    isOver: () => over,
    pause: (ms) => Promise.race([sleep(ms, undefined, { ref: false }), ending]),
  };
}
