import { setTimeout as sleep } from "node:timers/promises";
import { drawBetween } from "../sandbox/seeded-draw.ts";
import type { RunningDemo } from "./run-demo.ts";

interface Kills {
  readonly kills: number;
  readonly seed: number;
  /** How long the service lives between kills, from and to. */
  readonly everyMs: readonly [number, number];
}

/** Kills the service without warning and restarts it, at moments spread over the demo. Returns the number of kills. */
export async function killAtRandom(
  { service, sandbox, finished }: Pick<RunningDemo, "service" | "sandbox" | "finished">,
  { kills, seed, everyMs }: Kills,
): Promise<number> {
  let ended = false;
  const end = () => {
    ended = true;
  };
  // The error of the demo is reported to the callers that wait for the demo.
  const ending = finished.then(end, end);
  for (let kill = 0; kill < kills; kill++) {
    await Promise.race([sleep(drawBetween(seed, everyMs, "kill", kill), undefined, { ref: false }), ending]);
    if (ended) return kill;
    await service.kill();
    sandbox.limits.forgetAnswers();
    await service.start();
  }
  return kills;
}
